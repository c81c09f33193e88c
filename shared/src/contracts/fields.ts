import { z } from 'zod';

const GIGABYTE_MB = 1024;

/** Megabytes from what people write: `512`, `512 MB` or `2 GB`. A bare number means megabytes. */
export const Memory = z
  .union([
    z.number().positive().max(100_000_000),
    z
      .string()
      .trim()
      .regex(/^\d{1,9}([.,]\d{1,3})?\s*([mg]i?b?)?$/i, 'memory is a number with a unit, such as 512 MB or 2 GB'),
  ])
  .transform((value) => {
    if (typeof value === 'number') return Math.ceil(value);
    const amount = Number.parseFloat(value.replace(',', '.'));
    return Math.ceil(/g/i.test(value) ? amount * GIGABYTE_MB : amount);
  });

export const PortNumber = z.coerce.number().int().min(1).max(65_535);

export const CpuCount = z.coerce.number().int().min(1).max(1_024);

/** The name of something that should exist; whether it does is decided by whoever looks it up. */
export const KnownName = z.string().trim().toLowerCase().min(1).max(80);

/** A name for something new. The tables check the same rule. */
export const NewName = z
  .string()
  .trim()
  .toLowerCase()
  .min(2, 'a name has at least 2 characters')
  .max(40, 'a name has at most 40 characters')
  .regex(
    /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/,
    'a name is made of lowercase letters, digits and single hyphens, and begins with a letter, such as web-shop',
  );

export const ProjectName = KnownName.describe('Name of an existing project').meta({
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

/** Megabytes for people: `512 MB`, `1.5 GB`. */
export function formatMemory(memoryMb: number): string {
  if (memoryMb < GIGABYTE_MB) return `${memoryMb} MB`;
  return `${(memoryMb / GIGABYTE_MB).toFixed(1).replace(/\.0$/, '')} GB`;
}
