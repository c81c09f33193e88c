import type { Readable } from 'node:stream';
import type { Pool } from '@signalbox/store/pool';
import type { Log } from '@signalbox/platform/log';
import type { Redis } from '@signalbox/platform/redis';
import type { CliConfig } from './config.ts';

/** What was written after the command's name. */
export interface Arguments {
  readonly words: readonly string[];
  readonly person: string | null;
  readonly all: boolean;
  readonly force: boolean;
  /** One JSON object per line, in and out. */
  readonly jsonl: boolean;
  readonly limit: number;
  /** Options of single commands; null when they were not given. */
  readonly options: Readonly<Record<CommandOption, string | null>>;
}

export type CommandOption =
  | 'policies'
  | 'from'
  | 'checkpoints'
  | 'key'
  | 'out'
  | 'since'
  | 'thread'
  | 'action'
  | 'kind'
  | 'job'
  | 'status'
  | 'project'
  | 'text';

/** What a command works with. Connections are opened when they are asked for, and the runner of the command closes them. */
export interface CommandContext {
  readonly config: CliConfig;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly log: Log;
  readonly arguments: Arguments;
  /** Who runs it, for the audit: see actor.ts. Every command that changes something records it. */
  readonly actor: string;
  /** Standard input, for commands that read it. */
  readonly input: Readable;
  /** Writes at once, for commands whose output grows while they read. */
  readonly out: (text: string) => void;
  database(): Pool;
  redis(): Redis;
}

/** What came of a command: `data` for `--json`, `lines` for people. The exit code is 0 when `ok`, else 1. */
export interface Report {
  readonly ok: boolean;
  readonly data: unknown;
  readonly lines: readonly string[];
}

export type Run = (context: CommandContext) => Promise<Report>;

/** What was written cannot be carried out: `message` says what to write instead. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}
