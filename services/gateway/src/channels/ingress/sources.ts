import { readFileSync } from 'node:fs';
import { AppError } from '@signalbox/contracts/errors';
import { tryOr, parseJson } from '@signalbox/contracts/system-error';
import { say } from '@signalbox/messages/say';
import { z } from 'zod';
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

const SourceEntry = z
  .strictObject({
    name: z.string().regex(SOURCE_NAME_PATTERN, { error: () => say('ingress.name-wrong') }),
    secret: Secret,
    previousSecret: Secret.optional(),
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
  })
  .superRefine((entry, context) => {
    const problem = (path: string, message: string): void =>
      context.addIssue({ code: 'custom', path: [path], message, input: undefined });
    if ((entry.actsFor === undefined) === (entry.serviceAccount === undefined))
      problem('actsFor', say('ingress.account-wrong'));
    if (entry.callback !== undefined && entry.callbacks !== undefined)
      problem('callback', say('ingress.callback-twice'));
    if (entry.secret === entry.previousSecret) problem('previousSecret', say('ingress.secret-same'));
  });

const Sources = z
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

/** Reads the sources file. Throws CONFIG_INVALID with every problem at once, without secrets. */
export function readSources(path: string): readonly IngressSource[] {
  const text = tryOr(() => readFileSync(path, 'utf8'), null);
  if (text === null) throw createFileError([say('ingress.file-unreadable', { path })]);
  const json = parseJson(text);
  if (json === undefined) throw createFileError([say('ingress.file-no-json', { path })]);
  const parsed = Sources.safeParse(json);
  if (!parsed.success)
    throw createFileError(parsed.error.issues.map(({ path: at, message }) => `${z.core.toDotPath(at)}: ${message}`));
  return parsed.data.map(toSource);
}

function toSource(entry: z.infer<typeof SourceEntry>): IngressSource {
  const { name, secret, previousSecret, actsFor, serviceAccount, callback, callbacks } = entry;
  const account: SourceAccount = serviceAccount
    ? { kind: 'service', ...serviceAccount }
    : { kind: 'person', userKey: actsFor ?? '' }; // SourceEntry requires one of the two
  return {
    name,
    secrets: previousSecret === undefined ? [secret] : [secret, previousSecret],
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
