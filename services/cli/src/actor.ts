import { hostname, userInfo } from 'node:os';
import type { AuditEvent } from '@signalbox/contracts/governance/audit';
import { appendAudit } from '@signalbox/store/audit/audit';
import type { Queryable } from '@signalbox/store/pool';

/** Maximum length of an actor in the audit, in characters. */
const MAX_ACTOR_LENGTH = 120;

/** Names the command line's user as an audit actor, `cli:<user>@<host>`, from the operating system. */
export function getAuditActor(): string {
  return `cli:${userName()}@${hostname()}`.slice(0, MAX_ACTOR_LENGTH);
}

/** Records a command's change in the caller's transaction. Throws like `appendAudit`. */
export function recordChange(
  db: Queryable,
  actor: string,
  kind: AuditEvent['kind'],
  data: AuditEvent['data'],
): Promise<void> {
  return appendAudit(db, [{ kind, actor, data }]);
}

/** Returns the user name, or the user id in containers whose user has no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid-${process.getuid?.() ?? 'unknown'}`;
  }
}
