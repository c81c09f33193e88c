import { readWorkOverview, type WorkOverview } from '@signalbox/store/turns/overview';
import { formatBytes } from '@signalbox/contracts/file-name';
import type { Pool } from '@signalbox/store/pool';
import { isKeptWhole } from '@signalbox/store/retention/retain';
import { compareSizes, readSizes, type SizeReport } from '@signalbox/store/retention/sizes';
import { probeServices, readRunningServices } from '../checks/running-services.ts';
import type { CommandContext, CommandResult } from '../command.ts';
import { formatCount, formatAge, formatTable, formatTime, formatSection } from '../table.ts';

/** Largest tables that are listed; `--json` has all. */
const MAX_TABLES = 10;
const SIZES_DEADLINE_MS = 10_000;

/** Shows current activity of all people or one, and the processes of `npm start`. */
export async function runStatus(context: CommandContext): Promise<CommandResult> {
  const { person = null } = context.arguments;
  const overview = await readWorkOverview(context.database(), person);
  const run = person === null ? await readRunningServices(context.config.runFile) : null;
  const processes = (run ? await probeServices(run) : []).map(({ what: name, say }) => ({ name, say }));
  const sizes = person === null ? await readSizeReport(context.database()) : null;
  const lines = [
    ...describeOverview(overview),
    ...describeSizes(sizes),
    ...formatSection('processes', ['NAME', 'STATE'], processes, ({ name, say }) => [name, say]),
  ];
  return { ok: true, data: { ...overview, processes, sizes }, lines };
}

async function readSizeReport(pool: Pool): Promise<SizeReport> {
  return compareSizes(pool, await readSizes(pool, {}, SIZES_DEADLINE_MS));
}

/** Describes the database with its largest tables, and the disks as the job service last saw them. */
function describeSizes(sizes: SizeReport | null): readonly string[] {
  if (sizes === null) return [];
  const { tables, databaseBytes, databaseBytesPerDay } = sizes;
  const all = { table: 'the whole database', bytes: databaseBytes, bytesPerDay: databaseBytesPerDay };
  const disks = Object.entries(sizes.disks);
  return [
    ...formatSection(
      'sizes',
      ['TABLE', 'SIZE', 'PER DAY', 'KEPT'],
      [all, ...tables.filter(({ table }, place) => place < MAX_TABLES || table === 'audit_events')],
      ({ table, bytes, bytesPerDay }) => [
        table,
        formatBytes(bytes),
        formatGrowth(bytesPerDay),
        isKeptWhole(table) ? 'for ever' : '',
      ],
    ),
    ...formatSection('disks', ['PLACE', 'SIZE', 'FREE', 'USED'], disks, ([place, { free, size }]) => [
      place,
      formatBytes(size),
      formatBytes(free),
      `${Math.round((1 - free / size) * 100)} %`,
    ]),
  ];
}

function formatGrowth(bytesPerDay: number | null): string {
  if (bytesPerDay === null) return 'known after a day';
  return bytesPerDay < 0 ? `-${formatBytes(-bytesPerDay)}` : `+${formatBytes(bytesPerDay)}`;
}

function describeOverview(overview: WorkOverview): readonly string[] {
  const { turns, parkedChats, jobs, deadLetters } = overview;
  return [
    ...formatTable(
      ['WHAT', 'NOW', 'OLDEST'],
      [
        ['people active within an hour', overview.peopleActive, ''],
        ['turns running', turns.length, formatAge(oldestTurnMs(overview))],
        ['messages without an outcome', overview.messagesOpen, formatAge(overview.oldestMessageMs)],
        ['replies to deliver', overview.outboxPending, formatAge(overview.oldestReplyMs)],
        ['parked chats', parkedChats.length, ''],
        ['dead letters', deadLetters, ''],
      ],
    ),
    ...formatSection('turns', ['PERSON', 'NAME', 'WORKER', 'SINCE', 'MESSAGES'], turns, (turn) => [
      turn.userKey,
      turn.name,
      turn.worker,
      turn.since && formatTime(turn.since),
      turn.waiting,
    ]),
    ...formatSection('jobs (finished ones of the last day)', ['JOB', 'STATUS', 'COUNT'], jobs, (job) => [
      job.job,
      job.status,
      job.count,
    ]),
    ...formatSection('parked chats', ['CHAT', 'SINCE', 'REASON'], parkedChats, (chat) => [
      chat.chatKey,
      formatTime(chat.since),
      chat.reason,
    ]),
    ...(deadLetters > 0 ? ['', `${formatCount(deadLetters, 'dead letter')}: see \`dlq list\``] : []),
  ];
}

function oldestTurnMs({ turns }: WorkOverview): number | null {
  const since = turns[0]?.since;
  return since ? Date.now() - since.getTime() : null;
}
