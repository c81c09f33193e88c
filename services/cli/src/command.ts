import type { Readable } from 'node:stream';
import type { parseArgs } from 'node:util';
import type { Pool } from '@signalbox/store/pool';
import type { Log } from '@signalbox/platform/log';
import type { Redis } from '@signalbox/platform/redis';
import { SECOND_MS } from '@signalbox/contracts/time';
import type { CliConfig } from './config.ts';

/** Options of all commands. A command ignores options that it does not use. */
export const COMMAND_OPTIONS = {
  json: { type: 'boolean', default: false },
  /** Reads and writes one JSON object per line. */
  jsonl: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false, short: 'h' },
  version: { type: 'boolean', default: false },
  all: { type: 'boolean', default: false },
  force: { type: 'boolean', default: false },
  person: { type: 'string' },
  limit: { type: 'string', default: '50' },
  policies: { type: 'string' },
  from: { type: 'string' },
  checkpoints: { type: 'string' },
  key: { type: 'string' },
  out: { type: 'string' },
  since: { type: 'string' },
  thread: { type: 'string' },
  action: { type: 'string' },
  kind: { type: 'string' },
  job: { type: 'string' },
  status: { type: 'string' },
  project: { type: 'string' },
  text: { type: 'string' },
  chain: { type: 'string' },
  ref: { type: 'string' },
  dry: { type: 'boolean', default: false },
  severity: { type: 'string' },
  sarif: { type: 'boolean', default: false },
  reason: { type: 'string' },
  for: { type: 'string' },
  tag: { type: 'string' },
  remove: { type: 'boolean', default: false },
  'round-trip': { type: 'boolean', default: false },
  as: { type: 'string' },
  scope: { type: 'string' },
  verify: { type: 'boolean', default: false },
  activate: { type: 'boolean', default: false },
} as const;
type Options = ReturnType<typeof parseArgs<{ readonly options: typeof COMMAND_OPTIONS }>>['values'];

/** Words and options after the command's name. */
export interface CommandArguments extends Omit<Options, 'limit'> {
  readonly words: readonly string[];
  readonly limit: number;
}

/** Context of a command. Connections are opened on first use and closed by runCommandLine. */
export interface CommandContext {
  readonly config: CliConfig;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly log: Log;
  readonly arguments: CommandArguments;
  /** The audit actor: see actor.ts. Commands that change something record this actor. */
  readonly actor: string;
  readonly input: Readable;
  /** Writes at once, for commands that stream their output. */
  readonly out: (text: string) => void;
  database(): Pool;
  redis(): Redis;
}

/** Result of a command: `data` for `--json`, `lines` for people. The exit code is 0 when `ok`, else 1. */
export interface CommandResult {
  readonly ok: boolean;
  readonly data: unknown;
  readonly lines: readonly string[];
}

export type RunCommand = (context: CommandContext) => Promise<CommandResult>;

/** A command as the help text lists it. */
export interface CommandEntry {
  readonly usage: readonly string[];
  readonly summary: string;
  /** Each command is imported on use, so that commands do not load each other's dependencies. */
  readonly load: () => Promise<RunCommand>;
}

/** Thrown for a wrong command line. `message` states the correct form; when it is empty, the command's usage is shown. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Thrown when a file or folder that a command reads cannot be used. The command line itself is right, so this is no wrong use. */
export class InputError extends Error {
  override readonly name = 'InputError';
}

/** A verb of a command, such as `show` in `runs show <id>`, and the number of words after it. */
export interface Subcommand {
  readonly words: number;
  readonly run: (context: CommandContext, ...words: string[]) => Promise<CommandResult>;
}

/** Runs the given verb, or `usual` without a verb. Throws UsageError otherwise. */
export function runSubcommand(
  context: CommandContext,
  verbs: Readonly<Record<string, Subcommand>>,
  usual?: string,
): Promise<CommandResult> {
  const [name = usual, ...words] = context.arguments.words;
  const [, verb] = Object.entries(verbs).find(([known]) => known === name) ?? [];
  if (verb?.words !== words.length) throw new UsageError();
  return verb.run(context, ...words);
}

const UNITS = { s: SECOND_MS, m: 60 * SECOND_MS, h: 3_600 * SECOND_MS, d: 86_400 * SECOND_MS } as const;

/** Parses `--since` such as `90m` or `1d` to milliseconds. Throws UsageError for other texts. */
export function parseSince(text: string): number {
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  if (count === undefined)
    throw new UsageError(`--since is a number with s, m, h or d, such as 90m or 1d, not '${text}'.`);
  return Number(count) * UNITS[unit as keyof typeof UNITS]; // The pattern allows only these units.
}
