import { z } from 'zod';

/** Kinds of audit events. Names are in the past tense, because each event happened or was refused. */
export const AuditKind = z.enum([
  'action.proposed',
  'action.decided',
  'action.denied',
  'action.refused',
  'action.started',
  'action.settled',
  'action.unknown',
  'approval.requested',
  'approval.voted',
  'approval.click_refused',
  'approval.asked',
  'approval.answered',
  'approval.reminded',
  'approval.escalated',
  'approval.approved',
  'approval.rejected',
  'approval.modified',
  'approval.expired',
  'approval.voided',
  'approval.consumed',
  'grant.given',
  'grant.used',
  'grant.revoked',
  'memory.forgotten',
  'schedule.made',
  'schedule.changed',
  'schedule.paused',
  'grant.refused',
  'freeze.set',
  'freeze.lifted',
  'break_glass.opened',
  'break_glass.closed',
  'policy.loaded',
  'policy.refused',
  'capability.loaded',
  'capability.refused',
  'capability.unloaded',
  'claim.rewritten',
  'role.changed',
  'service.muted',
  'incident.taken',
  'incident.silenced',
  'incident.escalated',
  'rota.set',
  'rota.removed',
  'rota.covered',
  'rota.uncovered',
  'service.revived',
  'service.given_up',
  'service.crash_stopped',
  'dead_letter.settled',
  'run.cancel_requested',
  'service.stop_requested',
  'webhook.remove_requested',
  'owner_code.made',
  'round_trip.made',
  'database.migrated',
  'database.activated',
  'database.backed_up',
  'secret.kept',
  'secret.used',
  'secret.refused',
  'secret.deleted',
  'file.denied',
  'repository.scanned',
  'project.tagged',
  'project.untagged',
  'finding.accepted',
  'finding.reopened',
  'registry.snapshot_made',
  'registry.restored',
  'turn.recorded',
]);
export type AuditKind = z.infer<typeof AuditKind>;

/** One audit event. It is redacted before it is created, then hashed, and never changed. */
export const AuditEvent = z.object({
  kind: AuditKind,
  /** Who caused the event: a person's key, `system`, `agent:<id>`, or `cli:<user>@<host>` for the command line. */
  actor: z.string().min(1).max(120),
  threadId: z.string().max(160).nullable().default(null),
  turnId: z.string().max(160).nullable().default(null),
  actionId: z.string().max(160).nullable().default(null),
  approvalId: z.string().max(160).nullable().default(null),
  policyVersion: z.string().max(80).nullable().default(null),
  /** Details for auditors: rule, sentence, arguments, result. At most 64 kB as JSON. */
  data: z.record(z.string(), z.json()),
});
export type AuditEvent = z.input<typeof AuditEvent>;

/** A stored audit event, with its number and time. `dataJson` is the stored JSON text. */
export interface RecordedAuditEvent {
  readonly eventId: string;
  /** Time of recording, as ISO 8601 in UTC, to the microsecond. */
  readonly recordedAt: string;
  readonly kind: string;
  readonly actor: string;
  readonly threadId: string | null;
  readonly turnId: string | null;
  readonly actionId: string | null;
  readonly approvalId: string | null;
  readonly policyVersion: string | null;
  readonly dataJson: string;
  /** Database role of the connection that wrote the event; null for events older than the recording of roles. */
  readonly writtenBy: string | null;
}
