import type { Approval } from '@signalbox/contracts/governance/approval';
import { coversRole } from '@signalbox/contracts/governance/roles';
import { renderFullCard } from '@signalbox/safety/cards/approval-card';
import { findPerson, findPersons } from '@signalbox/store/people/identities';
import type { Queryable } from '@signalbox/store/pool';
import type { QuestionContext } from './question.ts';

/** Renders everything that the approval covers, for its requester and possible deciders, decided or not; null for others. */
export async function renderApprovalScope(
  db: Queryable,
  approval: Approval,
  { envelope, role }: QuestionContext,
): Promise<string | null> {
  const { person, isProgram } = await findPerson(db, envelope.userKey);
  const [requester] = await findPersons(db, [approval.userKey]);
  const mayDecide = !approval.byRequester && coversRole(role, approval.role);
  return !isProgram && (mayDecide || person === requester) ? renderFullCard(approval) : null;
}
