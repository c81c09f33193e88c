import { createWriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { writeCheckpoint, writeEvent, writeHead } from '../../audit/export.ts';
import { openDatabaseHistory } from '../../audit-database.ts';
import type { CommandContext, Report } from '../../command.ts';
import { formatCount } from '../../table.ts';

/** Exports all sealed events with hashes and checkpoints as JSON lines, to a file or standard output. */
export async function runAuditExport(context: CommandContext): Promise<Report> {
  const { out } = context.arguments;
  let events = 0;
  const lines = exportLines(context, () => (events += 1));
  if (out === undefined) {
    for await (const line of lines) context.out(line);
    return { ok: true, data: { events }, lines: [] };
  }
  await pipeline(Readable.from(lines), createWriteStream(out, { mode: 0o600 }));
  return { ok: true, data: { events, file: out }, lines: [`${formatCount(events, 'event')} written to ${out}.`] };
}

async function* exportLines(context: CommandContext, onEvent: () => void): AsyncGenerator<string> {
  const history = await openDatabaseHistory(context.database());
  const key = await readFile(context.config.auditPublicKeyFile, 'utf8').catch(() => null); // stored elsewhere: the auditor has it
  yield `${writeHead(history.logId, key === null ? [] : [key])}\n`;
  const checkpoints = history.inside()[Symbol.asyncIterator]();
  let next = await checkpoints.next();
  for await (const event of history.events()) {
    onEvent();
    yield `${writeEvent(event)}\n`;
    for (; !next.done && next.value.size <= event.seq; next = await checkpoints.next())
      yield `${writeCheckpoint(next.value)}\n`;
  }
  for (; !next.done; next = await checkpoints.next()) yield `${writeCheckpoint(next.value)}\n`;
}
