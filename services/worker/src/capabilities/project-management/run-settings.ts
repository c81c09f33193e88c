import { RunSettings } from '@signalbox/contracts/operations/deploy';
import { formatCode } from '@signalbox/messages/format-code';
import { say } from '@signalbox/messages/say';
import { z } from 'zod';

const Line = (what: string) => z.string().trim().max(1_000).optional().describe(what);
const HEADER = /^([A-Za-z][A-Za-z0-9-]{0,59}): ?([\x20-\x7e]{1,300})$/;

/** Fields of a call that say how a project is built, started and checked. An empty text takes a setting back. */
export const RUN_FIELDS = {
  startCommand: Line('Shell line that starts it, such as node server.js; empty: as its files say').meta({
    entity: 'text',
    ask: 'Which command starts it?',
  }),
  buildCommand: Line('Shell line that builds it').meta({ entity: 'text', ask: 'Which command builds it?' }),
  healthPath: z
    .string()
    .trim()
    .max(200)
    .regex(/^(?:\/\S*)?$/, 'a health path begins with a slash, such as /up')
    .optional()
    .describe('Path that answers when it can serve'),
  healthStatus: RunSettings.shape.healthStatus.describe('Status of that answer, if not 200'),
  healthHeader: z
    .string()
    .trim()
    .refine((text) => text === '' || HEADER.test(text), 'a header is written as Host: www.example.org')
    .optional()
    .describe('Header for that request, such as Host: www.example.org')
    .meta({ entity: 'text', ask: 'Which header?' }),
};

type RunFields = z.output<z.ZodObject<typeof RUN_FIELDS>>;

/** The settings to change; null takes one back. */
export function toRunChange({ startCommand, buildCommand, healthPath, healthStatus, healthHeader }: RunFields) {
  const [, name = '', value = ''] = HEADER.exec(healthHeader ?? '') ?? [];
  const headers = healthHeader === '' ? '' : { [name]: value };
  const healthHeaders = healthHeader === undefined ? undefined : headers;
  const all = { start: startCommand, build: buildCommand, healthPath, healthStatus, healthHeaders };
  const given = Object.entries(all).filter(([, setting]) => setting !== undefined);
  return Object.fromEntries(given.map(([key, setting]) => [key, setting === '' ? null : setting]));
}

/** Says the settings of a call, one line each. The value of a header may be secret. */
export function sayRun(given: RunFields): readonly string[] {
  const lines = {
    start: given.startCommand,
    build: given.buildCommand,
    health: given.healthPath,
    status: given.healthStatus?.toString(),
    header: given.healthHeader?.split(':')[0],
  };
  return Object.entries(lines).flatMap(([field, value]) =>
    value === undefined ? [] : [say('projects.runs', { field, value: formatCode(value), isSet: value !== '' })],
  );
}
