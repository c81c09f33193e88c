import { statSync } from 'node:fs';
import { getCheckpointFile, readCheckpointFile } from '@signalbox/safety/audit/checkpoint-file';
import { AppError } from '@signalbox/contracts/errors';
import { readPublicKeys } from '@signalbox/safety/audit/signing-key';
import { countLost, findStrayEvents, readAuditBacklog } from '@signalbox/store/audit/audit-chain';
import type { Queryable } from '@signalbox/store/pool';
import { sayDuration } from '@signalbox/messages/duration';
import { openDatabaseHistory } from '../../audit-database.ts';
import type { CommandContext, CommandResult } from '../../command.ts';
import { formatCount } from '../../table.ts';
import { openExport, UnreadableExport, verifyHistory, type AuditVerdict } from '../../../../../infra/audit/verify.mjs';

const STRAYS_PAGE = 20_000;

/** Verifies a database or an export against the external checkpoints. On a problem the exit code is 1 and the first bad event is shown. */
export async function runAuditVerify(context: CommandContext): Promise<CommandResult> {
  const { key, checkpoints, from } = context.arguments;
  const keys = await readPublicKeys(key ?? context.config.auditPublicKeyFile);
  const path = checkpoints ?? context.config.auditDir;
  const file = statSync(path, { throwIfNoEntry: false })?.isFile() ? path : getCheckpointFile(path);
  const db = from === undefined ? context.database() : null;
  const startedAt = performance.now();
  const verdict = await convertUnreadable(async () => {
    const history = db ? await openDatabaseHistory(db) : await openExport(from ?? '');
    return verifyHistory({ ...history, keys, outside: () => readCheckpointFile(file) });
  });
  const seconds = (performance.now() - startedAt) / 1_000;
  const ends = db ? await findUnsealed(db) : null;
  const ok = verdict.ok && (ends === null || (ends.strays.length === 0 && ends.lost === 0));
  const eventsPerSecond = Math.round(verdict.events / Math.max(seconds, 0.001));
  const data = { ...verdict, ok, checkpoints: file, unsealed: ends, seconds, eventsPerSecond };
  const speed = `${seconds.toFixed(1)} s, ${eventsPerSecond} events/s`;
  return {
    ok,
    data,
    lines: [...describeVerdict(verdict, speed), ...describeCoverage(verdict, file), ...describeUnsealed(ends)],
  };
}

async function convertUnreadable<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof UnreadableExport)) throw error;
    const { file, line, detail } = error;
    throw new AppError('AUDIT_EXPORT_UNREADABLE', { file, line: String(line), detail }, error);
  }
}

/** Finds unsealed events, events that other programs inserted, and the number of events deleted before sealing. */
async function findUnsealed(db: Queryable) {
  const strays: string[] = [];
  for (let after: string | null = '0'; after !== null;) {
    const page = await findStrayEvents(db, after, STRAYS_PAGE);
    strays.push(...page.strays.slice(0, 100 - strays.length)); // A hundred events are enough for the report.
    after = page.next;
  }
  return { ...(await readAuditBacklog(db)), strays, lost: await countLost(db) };
}

function describeVerdict(verdict: AuditVerdict, speed: string): readonly string[] {
  const { finding, events } = verdict;
  if (finding === null) return [`${formatCount(events, 'event')} in order (${speed}).`];
  return [
    `Event ${finding.seq}: ${finding.problem}. ${finding.detail.charAt(0).toUpperCase() + finding.detail.slice(1)}.`,
    `Before it, ${formatCount(events, 'event')} ${events === 1 ? 'is' : 'are'} in order. What comes after it was not looked at (${speed}).`,
  ];
}

function describeCoverage({ covered, ok }: AuditVerdict, file: string): readonly string[] {
  if (covered > 0) return [`Covered by the checkpoints in ${file}: up to event ${covered}.`];
  return ok ? [`No checkpoint in ${file} covers any event: this says only that the database agrees with itself.`] : [];
}

function describeUnsealed(ends: Awaited<ReturnType<typeof findUnsealed>> | null): readonly string[] {
  if (ends === null) return [];
  const lines: string[] = [];
  if (ends.unsealed > 0) {
    const age = ends.oldestMs === null ? '' : `, the oldest for ${sayDuration(ends.oldestMs)}`;
    lines.push(`${formatCount(ends.unsealed, 'event')} not sealed yet${age}.`);
  }
  if (ends.strays.length > 0)
    lines.push(
      `Inserted past the product: ${formatCount(ends.strays.length, 'event')} (event_id ${ends.strays.slice(0, 10).join(', ')}).`,
    );
  if (ends.lost > 0) lines.push(`Deleted before they were sealed: ${formatCount(ends.lost, 'event')}.`);
  return lines;
}
