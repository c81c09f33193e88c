import type { Approval } from '@signalbox/contracts/governance/approval';
import { coversRole } from '@signalbox/contracts/governance/roles';
import { renderBound } from '@signalbox/safety/cards/approval-card';
import { findPerson, findPersons } from '@signalbox/store/people/identities';
import type { Queryable } from '@signalbox/store/pool';
import type { AskedQuestion } from './question.ts';

/** Renders everything that the approval covers, for its requester and possible deciders, decided or not; null for others. */
export async function renderBoundFor(
  db: Queryable,
  approval: Approval,
  { envelope, role }: AskedQuestion,
): Promise<string | null> {
  const { person, isProgram } = await findPerson(db, envelope.userKey);
  const [requester] = await findPersons(db, [approval.userKey]);
  const mayDecide = !approval.byRequester && coversRole(role, approval.role);
  return !isProgram && (mayDecide || person === requester) ? renderBound(approval) : null;
}
