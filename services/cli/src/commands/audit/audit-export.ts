import { createWriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { writeCheckpoint, writeEvent, writeHead } from '../../audit/export.ts';
import { openDatabaseHistory } from '../../audit-database.ts';
import type { CommandContext, Report } from '../../command.ts';
import { countOf } from '../../table.ts';

/** Writes all sealed events with their hashes and checkpoints, one JSON object per line, to a file or to standard output. */
export async function runAuditExport(context: CommandContext): Promise<Report> {
  const { out } = context.arguments;
  let events = 0;
  const lines = exportLines(context, () => (events += 1));
  if (out === undefined) {
    for await (const line of lines) context.out(line);
    return { ok: true, data: { events }, lines: [] };
  }
  await pipeline(Readable.from(lines), createWriteStream(out, { mode: 0o600 }));
  return { ok: true, data: { events, file: out }, lines: [`${countOf(events, 'event')} written to ${out}.`] };
}

async function* exportLines(context: CommandContext, onEvent: () => void): AsyncGenerator<string> {
  const history = await openDatabaseHistory(context.database());
  const key = await readFile(context.config.auditPublicKeyFile, 'utf8').catch(() => null); // kept elsewhere: the auditor has it
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
