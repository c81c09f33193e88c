import type { AuditEvent, AuditKind } from '@signalbox/contracts/governance/audit';
import { appendAudit } from '@signalbox/store/audit/audit';
import type { Queryable } from '@signalbox/store/pool';
import type { Asked } from './question.ts';

/** Records in the audit what a person did with a command and the role that they had, in the transaction that does it. */
export function recordCommand(
  db: Queryable,
  { envelope, role }: Asked,
  kind: AuditKind,
  data: AuditEvent['data'],
): Promise<void> {
  return appendAudit(db, [{ kind, actor: envelope.userKey, data: { role, ...data } }]);
}
