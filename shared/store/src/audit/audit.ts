import { AuditEvent } from '@signalbox/contracts/governance/audit';
import { AppError } from '@signalbox/contracts/errors';
import { redactForLog, redactValue } from '@signalbox/safety/redact/redact';
import { makeStorable } from '@signalbox/contracts/storable';
import type { Queryable } from '../pool.ts';
import { prepareSql } from '../sql.ts';

/** Maximum bytes of an event's `data` as JSON. Larger data belongs in a table of its own, and its hash in the event. */
const MAX_DATA_BYTES = 64 * 1024;

/**
 * Records events in the caller's transaction, without waiting for other appenders. Replaces characters that Postgres cannot store by
 * U+FFFD; removes secrets and personal data. Only idempotent if the caller's transaction is. Throws AUDIT_EVENT_REFUSED, before it
 * writes, for a malformed event or one over 64 kB.
 */
export async function appendAudit(db: Queryable, events: readonly AuditEvent[]): Promise<void> {
  if (events.length === 0) return;
  await db.query(prepareSql('audit_append')`select audit_append(${buildAuditJson(events)}::jsonb)`);
}

/** Builds the argument of `audit_append`, for a statement that also records an event. */
export function buildAuditJson(events: readonly AuditEvent[]): string {
  // Events of one action share their data, so the data is sanitized once.
  const storable = new Map<AuditEvent['data'], AuditEvent['data']>();
  return JSON.stringify(events.map((event) => parseEvent(event, storable)));
}

function parseEvent(given: AuditEvent, storable: Map<AuditEvent['data'], AuditEvent['data']>): AuditEvent {
  const known = storable.get(given.data);
  const parsed = AuditEvent.safeParse(known ? { ...given, data: {} } : given);
  if (!parsed.success) {
    const problems = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; ');
    throw refuse(given.kind, problems);
  }
  const data = known ?? makeStorable(redactValue(parsed.data.data, redactForLog));
  if (!known) {
    const sizeBytes = Buffer.byteLength(JSON.stringify(data));
    if (sizeBytes > MAX_DATA_BYTES) {
      const detail = `its data has ${sizeBytes} bytes and may have ${MAX_DATA_BYTES}; store what is large elsewhere and record its hash`;
      throw refuse(given.kind, detail);
    }
    storable.set(given.data, data);
  }
  return { ...makeStorable({ ...parsed.data, data: {} }), data };
}

function refuse(kind: unknown, detail: string): AppError {
  return new AppError('AUDIT_EVENT_REFUSED', { kind: String(kind), detail });
}
