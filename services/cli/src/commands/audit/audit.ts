import { findAuditEvents } from '../../queries/audit-events.ts';
import { UsageError, type CommandContext, type Report } from '../../command.ts';
import { readDuration } from '../../duration.ts';
import { formatTable, formatTime } from '../../table.ts';
import { runAuditExport } from './audit-export.ts';
import { runAuditVerify } from './audit-verify.ts';

/** Shows what was recorded, checks that it is what was recorded, or writes it out for an auditor. */
export async function runAudit(context: CommandContext): Promise<Report> {
  const [verb, ...rest] = context.arguments.words;
  if (rest.length === 0) {
    if (verb === 'verify') return runAuditVerify(context);
    if (verb === 'export') return runAuditExport(context);
    if (verb === 'show') return showEvents(context);
  }
  throw new UsageError('Write: audit show | audit verify | audit export. docs/audit.md explains them.');
}

async function showEvents(context: CommandContext): Promise<Report> {
  const { person, limit, options } = context.arguments;
  const events = await findAuditEvents(context.database(), {
    sinceMs: options.since === null ? null : readDuration('--since', options.since),
    threadId: options.thread,
    actionId: options.action,
    kind: options.kind,
    userKey: person,
    limit,
  });
  const rows = events.map((event) => [
    event.seq ?? 'unsealed',
    formatTime(event.recordedAt),
    event.kind,
    event.actor,
    event.actionId ?? event.threadId,
    describe(event.data),
  ]);
  const lines =
    events.length > 0
      ? formatTable(['SEQ', 'TIME', 'EVENT', 'BY', 'ABOUT', 'WHAT'], rows)
      : ['Nothing was recorded that fits.'];
  return { ok: true, data: events, lines };
}

/** What says most about an event, else its data. */
function describe(data: Readonly<Record<string, unknown>>): string {
  const words = ['tool', 'rule', 'effect', 'sentence', 'reason', 'status'].map((name) => data[name]);
  const said = words.filter((word) => typeof word === 'string');
  return said.length > 0 ? said.join(' · ') : JSON.stringify(data);
}
