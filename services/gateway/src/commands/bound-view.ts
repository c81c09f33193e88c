import type { Approval } from '@signalbox/contracts/governance/approval';
import { roleCovers } from '@signalbox/contracts/governance/roles';
import { renderBound } from '@signalbox/safety/cards/approval-card';
import { findPerson, personsOf } from '@signalbox/store/people/identities';
import type { Queryable } from '@signalbox/store/pool';
import type { Asked } from './question.ts';

/**
 * All that a request is bound to, for whoever may decide about it or has asked for it; null for anybody else. It decides nothing, and may
 * be asked for again and when it is decided.
 */
export async function showBound(db: Queryable, approval: Approval, { envelope, role }: Asked): Promise<string | null> {
  const { person, isProgram } = await findPerson(db, envelope.userKey);
  const [requester] = await personsOf(db, [approval.userKey]);
  const mayDecide = !approval.byRequester && roleCovers(role, approval.role);
  return !isProgram && (mayDecide || person === requester) ? renderBound(approval) : null;
}
