import { formatBytes } from '@signalbox/contracts/file-name';
import { abortAfter } from '@signalbox/contracts/time';
import { VERSION } from '@signalbox/platform/version';
import { listPeopleSince } from '@signalbox/store/backup/since';
import { readMigrationStatus } from '@signalbox/store/migrations/migration-status';
import { readWorkInFlight, type WorkInFlight } from '@signalbox/store/migrations/work-in-flight';
import type { Pool } from '@signalbox/store/pool';
import { findValue } from '@signalbox/store/sql';
import { readRunningServices } from '../../checks/running-services.ts';
import { runSubcommand, UsageError, type CommandContext, type CommandResult } from '../../command.ts';
import { formatCount, formatList, formatSection } from '../../table.ts';

const METRICS_MS = 3_000;

/** `upgrade check` says what this release would change; `upgrade since <time>` what a return to a backup would lose. Both change nothing. */
export function runUpgrade(context: CommandContext): Promise<CommandResult> {
  return runSubcommand(context, { check: { words: 0, run: check }, since: { words: 1, run: listSince } });
}

interface ServiceVersion {
  readonly name: string;
  readonly version: string;
}

async function check(context: CommandContext): Promise<CommandResult> {
  const pool = context.database();
  const { applied, pending, unknown } = await readMigrationStatus(pool);
  const flight = applied.length === 0 ? null : await readWorkInFlight(pool);
  const bytes = await findValue(pool, 0)`select pg_database_size(current_database())::float8`;
  const services = [...(await readServers(context, pool)), ...(await readServiceVersions(context.config.runFile))];
  const data = { release: VERSION, pending, unknown, databaseBytes: bytes, flight, services };
  return { ok: unknown.length === 0, data, lines: describeCheck(data) };
}

function describeCheck(found: {
  readonly pending: readonly string[];
  readonly unknown: readonly string[];
  readonly databaseBytes: number;
  readonly flight: WorkInFlight | null;
  readonly services: readonly ServiceVersion[];
}): readonly string[] {
  const { pending, unknown, databaseBytes, flight } = found;
  if (unknown.length > 0)
    return [
      `This database is of a newer release than ${VERSION}: it has ${unknown.join(', ')}. Nothing of this release works with it.`,
    ];
  const first =
    pending.length === 0
      ? `Release ${VERSION} changes nothing in this database.`
      : `Release ${VERSION} runs ${formatCount(pending.length, 'migration')} in this database:`;
  return [
    first,
    ...pending.map((name) => `  ${name}`),
    ...(pending.length === 0 || flight === null
      ? []
      : [
          `A backup before them needs at most ${formatBytes(databaseBytes)} for the database, and the files beside it.`,
        ]),
    ...(flight === null ? ['The database is empty.'] : describeFlight(flight)),
    ...formatSection('versions', ['WHAT', 'VERSION'], found.services, ({ name, version }) => [name, version]),
  ];
}

function describeFlight(flight: WorkInFlight): readonly string[] {
  const { turns, messages, replies, jobs, requests } = flight;
  const counts = [
    formatCount(turns, 'turn'),
    formatCount(messages, 'message'),
    formatCount(replies, 'reply', 'replies'),
    formatCount(jobs, 'job'),
    formatCount(requests, 'request'),
  ];
  return [`In flight: ${counts.join(', ')}. All of it waits during the update, and goes on afterwards.`];
}

async function readServers({ config, redis }: CommandContext, pool: Pool): Promise<readonly ServiceVersion[]> {
  const postgres = await findValue(pool, 'unknown')`show server_version`;
  const info =
    config.REDIS_URL === undefined
      ? ''
      : await redis()
          .info('server')
          .catch(() => '');
  const version = /^redis_version:(\S+)/m.exec(info)?.[1];
  return [
    { name: 'Node', version: process.versions.node },
    { name: 'Postgres', version: postgres },
    ...(version === undefined ? [] : [{ name: 'Redis', version }]),
  ];
}

/** Reads which release each service of `npm start` runs: see `signalbox_build_info`. */
async function readServiceVersions(runFile: string): Promise<readonly ServiceVersion[]> {
  const running = (await readRunningServices(runFile))?.services ?? [];
  return Promise.all(
    running.map(async ({ name, probeUrl }) => {
      const response = await fetch(new URL('/metrics', probeUrl), { signal: abortAfter(METRICS_MS) }).catch(() => null);
      const text = response?.ok ? await response.text() : '';
      return { name, version: /^signalbox_build_info\{[^}]*version="([^"]*)"/m.exec(text)?.[1] ?? 'does not say' };
    }),
  );
}

async function listSince(context: CommandContext, time: string): Promise<CommandResult> {
  const since = new Date(time);
  if (Number.isNaN(since.getTime()))
    throw new UsageError(`A time is written like 2026-11-28T17:23:30Z, not '${time}'.`);
  const people = await listPeopleSince(context.database(), since);
  const rows = people.map(({ userKey, name, messages, actions }) => [
    userKey,
    name,
    messages.length,
    actions.length,
    actions.map(({ tool }) => tool).join(', '),
  ]);
  const lines = formatList(
    ['PERSON', 'NAME', 'MESSAGES', 'CHANGES', 'WHICH'],
    rows,
    `Nobody did anything since ${time}.`,
  );
  return { ok: true, data: people, lines };
}
