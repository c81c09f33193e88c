import { hostname, userInfo } from 'node:os';
import type { AuditEvent } from '@signalbox/contracts/governance/audit';
import { appendAudit } from '@signalbox/store/audit/audit';
import type { Queryable } from '@signalbox/store/pool';

/** Most characters that the audit keeps of an actor. */
const ACTOR_LENGTH = 120;

/** The user of the command line, as the audit names them: `cli:<user>@<host>`, as the operating system knows both. */
export function nameActor(): string {
  return `cli:${userName()}@${hostname()}`.slice(0, ACTOR_LENGTH);
}

/** Records what a command changes, in the caller's transaction. Throws as `appendAudit` does. */
export function recordChange(
  db: Queryable,
  actor: string,
  kind: AuditEvent['kind'],
  data: AuditEvent['data'],
): Promise<void> {
  return appendAudit(db, [{ kind, actor, data }]);
}

/** In a container the process may run under a number that has no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid-${process.getuid?.() ?? 'unknown'}`;
  }
}
