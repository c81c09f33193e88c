import { createWriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { findAuditEvents } from '../../queries/audit-events.ts';
import { parseSince, runSubcommand, type CommandContext, type CommandResult } from '../../command.ts';
import { formatList, formatTime, formatCount } from '../../table.ts';
import { runAuditVerify } from './audit-verify.ts';
import { formatCheckpointLine, formatEventLine, formatHeaderLine } from '../../audit/export.ts';
import { openDatabaseHistory } from '../../audit-database.ts';

/** Shows audit events, verifies the history, or exports it for an auditor. */
export function runAudit(context: CommandContext): Promise<CommandResult> {
  return runSubcommand(context, {
    show: { words: 0, run: showEvents },
    verify: { words: 0, run: runAuditVerify },
    export: { words: 0, run: runAuditExport },
  });
}

async function showEvents(context: CommandContext): Promise<CommandResult> {
  const { person, limit, since, thread, action, kind } = context.arguments;
  const sinceMs = since === undefined ? null : parseSince(since);
  const filter = { sinceMs, threadId: thread, actionId: action, kind, userKey: person, limit };
  const events = await findAuditEvents(context.database(), filter);
  const rows = events.map((event) => [
    event.seq ?? 'unsealed',
    formatTime(event.recordedAt),
    event.kind,
    event.actor,
    event.actionId ?? event.threadId,
    describe(event.data),
  ]);
  const headings = ['SEQ', 'TIME', 'EVENT', 'BY', 'ABOUT', 'WHAT'];
  return { ok: true, data: events, lines: formatList(headings, rows, 'Nothing was recorded that fits.') };
}

function describe(data: Readonly<Record<string, unknown>>): string {
  const words = ['tool', 'rule', 'effect', 'sentence', 'reason', 'status'].map((name) => data[name]);
  const said = words.filter((word) => typeof word === 'string');
  return said.length > 0 ? said.join(' · ') : JSON.stringify(data);
}

async function runAuditExport(context: CommandContext): Promise<CommandResult> {
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
  const key = await readFile(context.config.auditPublicKeyFile, 'utf8').catch(() => null); // The public key may be stored elsewhere, where the auditor has it.
  yield `${formatHeaderLine(history.logId, key === null ? [] : [key])}\n`;
  const checkpoints = history.inside()[Symbol.asyncIterator]();
  let next = await checkpoints.next();
  for await (const event of history.events()) {
    onEvent();
    yield `${formatEventLine(event)}\n`;
    for (; !next.done && next.value.size <= event.seq; next = await checkpoints.next())
      yield `${formatCheckpointLine(next.value)}\n`;
  }
  for (; !next.done; next = await checkpoints.next()) yield `${formatCheckpointLine(next.value)}\n`;
}
