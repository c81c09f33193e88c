import { AuditEvent } from '../contracts/audit.ts';
import { AppError } from '../errors.ts';
import { redactForLog, redactValue } from '../redact/redact.ts';
import type { Queryable } from './pool.ts';

/** Most bytes of an event's `data` as JSON. What is larger belongs into a table of its own, and its hash into the event. */
const MAX_DATA_BYTES = 64 * 1024;

/**
 * Records events in the caller's transaction: they are there exactly when what they record is. Waits for no other appender. Text
 * that Postgres cannot hold (NUL, half a surrogate pair) is kept as U+FFFD. Secrets and personal data are left out before. Not idempotent: the caller's transaction is.
 * Throws AUDIT_EVENT_REFUSED, before anything is written, for an event that is malformed or larger than 64 kB.
 */
export async function appendAudit(db: Queryable, events: readonly AuditEvent[]): Promise<void> {
  if (events.length === 0) return;
  await db.query({ name: 'audit_append', text: 'select audit_append($1::jsonb)', values: [auditJson(events)] });
}

/** The same as the argument of `audit_append`, for a statement that records what it does itself. */
export function auditJson(events: readonly AuditEvent[]): string {
  return JSON.stringify(events.map(parseEvent));
}

function parseEvent(given: AuditEvent): AuditEvent {
  const parsed = AuditEvent.safeParse(given);
  if (!parsed.success) {
    const problems = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; ');
    throw new AppError('AUDIT_EVENT_REFUSED', { kind: String(given.kind), detail: problems });
  }
  const event = makeStorable({ ...parsed.data, data: redactValue(parsed.data.data, redactForLog) });
  const sizeBytes = Buffer.byteLength(JSON.stringify(event.data));
  if (sizeBytes > MAX_DATA_BYTES) {
    const detail = `its data has ${sizeBytes} bytes and may have ${MAX_DATA_BYTES}; store what is large elsewhere and record its hash`;
    throw new AppError('AUDIT_EVENT_REFUSED', { kind: event.kind, detail });
  }
  return event;
}

function makeStorable<T>(value: T): T {
  if (typeof value === 'string') return value.toWellFormed().replaceAll('\0', '\uFFFD') as T & string; // a string stays one
  if (Array.isArray(value)) return value.map(makeStorable) as T & unknown[]; // as does an array
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [makeStorable(key), makeStorable(member)]),
  ) as T; // and a record
}
