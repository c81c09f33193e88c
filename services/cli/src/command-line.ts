import { Readable } from 'node:stream';
import { parseArgs, promisify } from 'node:util';
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { checkDatabase } from '@signalbox/store/database-check';
import { openPool, type Pool } from '@signalbox/store/pool';
import { AppError } from '@signalbox/contracts/errors';
import { closeAll, type Closable } from '@signalbox/platform/lifecycle';
import { createLog } from '@signalbox/platform/log';
import { checkRedis, closeRedis, openRedis, type Redis } from '@signalbox/platform/redis';
import { VERSION } from '@signalbox/platform/version';
import { getAuditActor } from './actor.ts';
import { COMMANDS, findCommand } from './catalog.ts';
import {
  COMMAND_OPTIONS,
  InputError,
  UsageError,
  type CommandContext,
  type CommandEntry,
  type CommandResult,
} from './command.ts';
import { describeCommand, describeCommands } from './help.ts';
import { loadConfig, loadEnvironment, requireUrl, type CliConfig } from './config.ts';

/** Matches control characters and direction marks, except line feed and tab, which the output uses. */
const CONTROLS = /(?![\n\t])[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

const CHECKOUT = fileURLToPath(new URL('../../../', import.meta.url));
const GIT_TIMEOUT_MS = 2_000;

type Server = 'DATABASE_URL' | 'REDIS_URL';

export interface StandardStreams {
  readonly input?: Readable;
  readonly out: (text: string) => void;
  readonly error: (text: string) => void;
}

/** Maximum of `--limit`: lists are for terminals, not exports. */
const MAX_ROWS = 10_000;

/** Runs a command line and returns its exit code: 0; 1 when it failed or found a problem; 2 for wrong use. */
export async function runCommandLine(
  words: readonly string[],
  output: StandardStreams,
  environment: Readonly<Record<string, string | undefined>> = loadEnvironment(),
  commands: readonly CommandEntry[] = COMMANDS,
): Promise<0 | 1 | 2> {
  const json = words.includes('--json');
  try {
    const report = await execute(words, environment, output, commands);
    if (json) output.out(`${escapeControls(JSON.stringify(report.data, null, 2))}\n`);
    else if (report.lines.length > 0) output.out(`${escapeControls(report.lines.join('\n'))}\n`);
    return report.ok ? 0 : 1;
  } catch (error) {
    const { message, code } = describeError(error);
    if (json) output.out(`${escapeControls(JSON.stringify({ error: { code, message } }))}\n`);
    else output.error(`${escapeControls(message)}\n`);
    return error instanceof UsageError ? 2 : 1;
  }
}

async function execute(
  words: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
  output: StandardStreams,
  commands: readonly CommandEntry[],
): Promise<CommandResult> {
  const { values, positionals } = parse(words);
  const [name = 'help', ...rest] = positionals;
  if (values.version) return reportVersion(environment);
  const about = values.help ? findCommand(commands, name) : undefined;
  if (about) return { ok: true, data: [{ usage: about.usage, summary: about.summary }], lines: describeCommand(about) };
  if (values.help || name === 'help') {
    const data = commands.map(({ usage, summary }) => ({ usage, summary }));
    return { ok: true, data, lines: describeCommands(commands) };
  }
  const command = findCommand(commands, name);
  if (!command) throw new UsageError([`There is no command '${name}'.`, '', ...describeCommands(commands)].join('\n'));
  const limit = Number(values.limit);
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_ROWS)
    throw new UsageError(`--limit is a whole number from 1 to ${MAX_ROWS}, not '${values.limit}'.`);
  const parts: Closable[] = [];
  const opened = new Set<Server>();
  const given = { ...values, words: rest, limit };
  const context = openContext(environment, output, { parts, opened }, given);
  try {
    const run = await command.load();
    return await run(context);
  } catch (error) {
    if (error instanceof UsageError) throw new UsageError(error.message || `Write: ${command.usage.join(' | ')}`);
    if (error instanceof AppError || error instanceof InputError) throw error;
    throw (await findServerProblem(context.config, opened)) ?? error;
  } finally {
    await closeAll(parts, context.log);
  }
}

async function reportVersion(environment: Readonly<Record<string, string | undefined>>): Promise<CommandResult> {
  const data = await describeVersion(environment);
  return { ok: true, data, lines: [data.commit === null ? data.version : `${data.version} (${data.commit})`] };
}

function parse(words: readonly string[]) {
  try {
    return parseArgs({ args: [...words], options: COMMAND_OPTIONS, allowPositionals: true, strict: true });
  } catch (error) {
    // parseArgs names the wrong option in its message.
    throw new UsageError(
      `${error instanceof Error ? error.message : String(error)}\n\n${describeCommands(COMMANDS).join('\n')}`,
    );
  }
}

function openContext(
  environment: Readonly<Record<string, string | undefined>>,
  { input = Readable.from([]), out }: StandardStreams,
  { parts, opened: used }: { readonly parts: Closable[]; readonly opened: Set<Server> },
  given: CommandContext['arguments'],
): CommandContext {
  const config = loadConfig(environment);
  const log = createLog('cli', 'silent'); // Commands report errors themselves.
  let pool: Pool | undefined;
  let redis: Redis | undefined;
  return {
    config,
    environment,
    log,
    arguments: given,
    actor: getAuditActor(),
    input,
    out,
    database: () => {
      if (pool) return pool;
      used.add('DATABASE_URL');
      const opened = openPool(requireUrl(config, 'DATABASE_URL'), log, { name: 'cli', max: 4 });
      parts.push({ close: () => opened.end() });
      return (pool = opened);
    },
    redis: () => {
      if (redis) return redis;
      used.add('REDIS_URL');
      const opened = openRedis(requireUrl(config, 'REDIS_URL'), log);
      parts.push({ close: () => closeRedis(opened) });
      return (redis = opened);
    },
  };
}

/** Finds the unavailable server and its remedy, which client errors lack. Null when all servers work. */
async function findServerProblem(config: CliConfig, opened: ReadonlySet<Server>): Promise<AppError | null> {
  const { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl } = config;
  if (databaseUrl !== undefined && opened.has('DATABASE_URL')) {
    const problem = await checkDatabase(databaseUrl, 'cli');
    if (problem !== null) return problem;
  }
  // Commands work even with a Redis that may evict keys.
  return redisUrl !== undefined && opened.has('REDIS_URL') ? await checkRedis(redisUrl).catch(() => null) : null;
}

function describeError(error: unknown): { readonly message: string; readonly code: string } {
  if (error instanceof AppError) return { message: error.message, code: error.code };
  if (error instanceof UsageError) return { message: error.message, code: 'USAGE' };
  if (error instanceof InputError) return { message: error.message, code: 'INPUT' };
  const message = error instanceof Error ? error.message || error.name : String(error);
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'UNEXPECTED';
  return { message: `${message} (${code}). \`npm run signalbox -- doctor\` shows what is wrong.`, code };
}

/** Describes the running release and its commit: of a git checkout, or as the build of an image noted it. Never throws. */
async function describeVersion({
  SIGNALBOX_COMMIT: built = '',
}: Readonly<Record<string, string | undefined>>): Promise<{
  readonly version: string;
  readonly commit: string | null;
}> {
  if (/^[0-9a-f]{7,40}$/.test(built)) return { version: VERSION, commit: built.slice(0, 12) };
  const words = ['-C', CHECKOUT, 'rev-parse', '--show-prefix', '--short=12', 'HEAD'];
  // The output is empty without git. With a prefix the checkout belongs to an outer repository.
  const answer = await promisify(execFile)('git', words, { timeout: GIT_TIMEOUT_MS }).catch(() => ({ stdout: '' }));
  const [prefix, commit = ''] = answer.stdout.split('\n');
  return { version: VERSION, commit: prefix === '' && commit !== '' ? commit : null };
}

/** Escapes control characters of names and logs, so that a terminal does not obey them. Uses JSON's notation, so JSON stays valid. Pure. */
export function escapeControls(text: string): string {
  return text.replace(CONTROLS, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
