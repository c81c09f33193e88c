import { findAuditEvents } from '../../queries/audit-events.ts';
import { runVerb, type CommandContext, type Report } from '../../command.ts';
import { readSince } from '../../duration.ts';
import { formatList, formatTime } from '../../table.ts';
import { runAuditExport } from './audit-export.ts';
import { runAuditVerify } from './audit-verify.ts';

/** Shows audit events, verifies the history, or exports it for an auditor. */
export function runAudit(context: CommandContext): Promise<Report> {
  return runVerb(context, {
    show: { words: 0, run: showEvents },
    verify: { words: 0, run: runAuditVerify },
    export: { words: 0, run: runAuditExport },
  });
}

async function showEvents(context: CommandContext): Promise<Report> {
  const { person, limit, since, thread, action, kind } = context.arguments;
  const sinceMs = since === undefined ? null : readSince(since);
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

/** The most informative fields of an event, else all its data. */
function describe(data: Readonly<Record<string, unknown>>): string {
  const words = ['tool', 'rule', 'effect', 'sentence', 'reason', 'status'].map((name) => data[name]);
  const said = words.filter((word) => typeof word === 'string');
  return said.length > 0 ? said.join(' · ') : JSON.stringify(data);
}
