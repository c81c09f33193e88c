import type { AuditEvent, AuditKind } from '@signalbox/contracts/governance/audit';
import { appendAudit } from '@signalbox/store/audit/audit';
import type { Queryable } from '@signalbox/store/pool';
import type { QuestionContext } from './question.ts';

/** Audits a command with its sender's role; call it in the transaction that runs the command. */
export function auditCommand(
  db: Queryable,
  { envelope, role }: QuestionContext,
  kind: AuditKind,
  data: AuditEvent['data'],
): Promise<void> {
  return appendAudit(db, [{ kind, actor: envelope.userKey, data: { role, ...data } }]);
}
