import { readFileSync } from 'node:fs';
import { AppError } from '@signalbox/contracts/errors';
import { tryOr, parseJson } from '@signalbox/contracts/system-error';
import { say } from '@signalbox/messages/say';
import { z } from 'zod';
import { AlarmFields, toGateForge, toLabelMapping, type AlarmSource } from './alarms/alarm-source.ts';
import { SOURCE_NAME_PATTERN } from './chat-key.ts';

/** A program that may write. */
export interface IngressSource {
  readonly name: string;
  /** The signing secret; during a rotation also the previous one. */
  readonly secrets: readonly [string, ...string[]];
  readonly account: SourceAccount;
  /** Addresses to push answers to; the first is the default. Empty: the program polls for answers. */
  readonly callbacks: readonly string[];
}

/** The account that a source writes as: a person's, or one of its own. */
export type SourceAccount =
  | { readonly kind: 'person'; readonly userKey: string }
  | { readonly kind: 'service'; readonly name: string; readonly role: 'viewer' | 'developer' | 'operator' };

const Secret = z.string().min(32, { error: () => say('ingress.secret-short') });

const Callback = z.string().superRefine((given, context) => {
  const problem = findCallbackProblem(given);
  if (problem !== null) context.addIssue({ code: 'custom', message: problem, input: undefined });
});

/** The fields of every entry. */
const Named = z.strictObject({
  name: z.string().regex(SOURCE_NAME_PATTERN, { error: () => say('ingress.name-wrong') }),
  secret: Secret,
  previousSecret: Secret.optional(),
});

/** An entry of a program that writes. */
export const ProgramEntry = Named.extend({
  actsFor: z
    .string()
    .regex(/^[\w-]{1,120}$/, { error: () => say('ingress.person-wrong') })
    .optional(),
  serviceAccount: z
    .strictObject({
      name: z.string().trim().min(1).max(80),
      role: z.enum(['viewer', 'developer', 'operator'], { error: () => say('ingress.role-wrong') }),
    })
    .optional(),
  callback: Callback.optional(),
  callbacks: z.array(Callback).min(1).max(20).optional(),
}).superRefine((entry, context) => {
  const problem = (path: string, message: string): void =>
    context.addIssue({ code: 'custom', path: [path], message, input: undefined });
  if ((entry.actsFor === undefined) === (entry.serviceAccount === undefined))
    problem('actsFor', say('ingress.account-wrong'));
  if (entry.callback !== undefined && entry.callbacks !== undefined) problem('callback', say('ingress.callback-twice'));
});

/** An entry of a source of alarms. */
export const AlarmEntry = Named.extend(AlarmFields.shape).superRefine((entry, context) => {
  if (entry.gates && toGateForge(entry) === null)
    context.addIssue({ code: 'custom', path: ['gates'], message: say('ingress.gates-wrong'), input: undefined });
});

/** An entry with a `kind` is a source of alarms; one without is a program that writes. */
const SourceEntry = z.record(z.string(), z.unknown()).transform((entry, context) => {
  const parsed = 'kind' in entry ? AlarmEntry.safeParse(entry) : ProgramEntry.safeParse(entry);
  if (parsed.success) {
    const { secret, previousSecret } = parsed.data;
    if (secret === previousSecret)
      context.addIssue({
        code: 'custom',
        path: ['previousSecret'],
        message: say('ingress.secret-same'),
        input: undefined,
      });
    return parsed.data;
  }
  for (const { path, message } of parsed.error.issues)
    context.addIssue({ code: 'custom', path, message, input: undefined });
  return z.NEVER;
});

const SourceList = z
  .array(SourceEntry)
  .max(1_000)
  .superRefine((entries, context) => {
    const names = new Set<string>();
    const secrets = new Map<string, number>();
    for (const [place, { name, secret, previousSecret }] of entries.entries()) {
      const problem = (path: string, message: string): void =>
        context.addIssue({ code: 'custom', path: [place, path], message, input: undefined });
      if (names.has(name)) problem('name', say('ingress.name-twice'));
      names.add(name);
      // Each secret must belong to one source only.
      for (const one of [secret, previousSecret]) {
        if (one === undefined) continue;
        if ((secrets.get(one) ?? place) !== place) problem('secret', say('ingress.secret-shared'));
        secrets.set(one, place);
      }
    }
  });

/** The kinds of sources of one file. */
export interface Sources {
  readonly programs: readonly IngressSource[];
  readonly alarms: readonly AlarmSource[];
  /** The accounts in whose name forges ask for gates. Unlike programs, they send no events of their own. */
  readonly forges: readonly IngressSource[];
}

/** Reads the sources file. Throws CONFIG_INVALID with every problem at once, without secrets. */
export function readSources(path: string): Sources {
  const text = tryOr(() => readFileSync(path, 'utf8'), null);
  if (text === null) throw createFileError([say('ingress.file-unreadable', { path })]);
  const json = parseJson(text);
  if (json === undefined) throw createFileError([say('ingress.file-no-json', { path })]);
  const parsed = SourceList.safeParse(json);
  if (!parsed.success)
    throw createFileError(parsed.error.issues.map(({ path: at, message }) => `${z.core.toDotPath(at)}: ${message}`));
  return {
    programs: parsed.data.flatMap((entry) => ('kind' in entry ? [] : [toProgram(entry)])),
    alarms: parsed.data.flatMap((entry) => ('kind' in entry ? [toAlarmSource(entry)] : [])),
    forges: parsed.data.flatMap((entry) => ('kind' in entry && toGateForge(entry) !== null ? [toForge(entry)] : [])),
  };
}

function toAlarmSource(entry: z.infer<typeof AlarmEntry>): AlarmSource {
  const { name, kind, tells, paths } = entry;
  const labels = toLabelMapping(entry);
  return { name, kind, secrets: toSecrets(entry), tells, paths, labels, gates: toGateForge(entry) };
}

function toForge(entry: z.infer<typeof AlarmEntry>): IngressSource {
  const name = entry.kind === 'github' ? 'GitHub' : 'GitLab';
  const account = { kind: 'service', name, role: 'developer' } as const;
  return { name: entry.name, secrets: toSecrets(entry), account, callbacks: [] };
}

function toSecrets({ secret, previousSecret }: z.infer<typeof Named>): readonly [string, ...string[]] {
  return previousSecret === undefined ? [secret] : [secret, previousSecret];
}

function toProgram(entry: z.infer<typeof ProgramEntry>): IngressSource {
  const { name, actsFor, serviceAccount, callback, callbacks } = entry;
  const account: SourceAccount = serviceAccount
    ? { kind: 'service', ...serviceAccount }
    : { kind: 'person', userKey: actsFor ?? '' }; // SourceEntry requires one of the two
  return {
    name,
    secrets: toSecrets(entry),
    account,
    callbacks: (callbacks ?? [callback]).filter((one) => one !== undefined),
  };
}

/** Only callbacks on this machine may be called without encryption. */
function findCallbackProblem(given: string): string | null {
  if (!URL.canParse(given)) return say('ingress.callback-wrong');
  const { protocol, hostname, username, password, hash } = new URL(given);
  if (protocol !== 'https:' && !(protocol === 'http:' && hostname === '127.0.0.1'))
    return say('ingress.callback-not-https');
  return username === '' && password === '' && hash === '' ? null : say('ingress.callback-user');
}

function createFileError(problems: readonly string[]): AppError {
  return new AppError('CONFIG_INVALID', { problems: `INGRESS_SOURCES_FILE: ${problems.join('; ')}` });
}
