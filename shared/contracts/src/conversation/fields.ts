import { z } from 'zod';

const GIGABYTE_MB = 1024;

/** An amount of memory. The field name contains the unit, so that the model converts `2 GB`. */
export const MemoryMb = z.coerce.number().int().min(1).max(100_000_000);

export const PortNumber = z.coerce.number().int().min(1).max(65_535);

export const CpuCount = z.coerce.number().int().min(1).max(1_024);

/** Name of an existing entity; the tool looks up whether the entity exists. */
const KnownName = z.string().trim().toLowerCase().min(1).max(80);

/** Name of a new entity. The database tables have the same check. */
export const NewEntityName = z
  .string()
  .trim()
  .toLowerCase()
  .min(2, 'a name has at least 2 characters')
  .max(40, 'a name has at most 40 characters')
  .regex(
    /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/,
    'a name is made of lowercase letters, digits and single hyphens, and begins with a letter, such as web-shop',
  );

/** Name of a stored secret: see docs/secrets.md. */
export const SecretHandle = z
  .string()
  .trim()
  .regex(
    /^secret:[a-z0-9][a-z0-9._-]{0,73}$/i,
    'a key or token is given as a handle, such as secret:vps-key; never as it is',
  );

export const ProjectName = KnownName.describe('A known project').meta({
  entity: 'project',
  ask: 'Which project do you mean?',
});

export const ServerName = KnownName.describe('Name of a registered server').meta({
  entity: 'server',
  ask: 'Which server do you mean?',
});

export const Environment = z
  .enum(['staging', 'production', 'local'])
  .describe('Environment')
  .meta({ entity: 'environment', ask: 'For which environment: staging, production or local?' });
export type Environment = z.infer<typeof Environment>;

/** Formats megabytes for people: `512 MB`, `1.5 GB`. */
export function formatMemory(memoryMb: number): string {
  if (memoryMb < GIGABYTE_MB) return `${memoryMb} MB`;
  return `${(memoryMb / GIGABYTE_MB).toFixed(1).replace(/\.0$/, '')} GB`;
}

/** Id of a conversation, for arguments of tools. */
export const ThreadId = z
  .string()
  .trim()
  .min(1)
  .max(160)
  .regex(/^[\w:.-]+$/, 'a conversation is named like user_1001_3')
  .describe('Id of a conversation, such as user_1001_3');

export const ShellCommand = z
  .string()
  .trim()
  .min(1)
  .max(4_000)
  .describe('The command, as it would be typed into a shell')
  .meta({ ask: 'Which command?' });

/** Maximum length of a remembered fact, in characters. */
export const MAX_FACT_LENGTH = 200;
