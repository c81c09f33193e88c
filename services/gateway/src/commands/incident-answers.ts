import { coversRole } from '@signalbox/contracts/governance/roles';
import type { IncidentCommand } from '@signalbox/contracts/conversation/envelope';
import { toPlainName } from '@signalbox/contracts/plain-name';
import { say, sayError } from '@signalbox/messages/say';
import type { Queryable } from '@signalbox/store/pool';
import { findUser } from '@signalbox/store/people/users';
import { muteIncident, takeIncident } from '@signalbox/store/incidents/take-incident';
import { updateIncidentCards } from '@signalbox/store/incidents/incident-cards';
import type { GatewayAnswer, QuestionContext } from './question.ts';
import { auditCommand } from './record.ts';

/** Applies a press on the card of an incident: somebody takes it, or silences it for an hour. All its cards then show it. */
export async function applyIncidentPress(
  db: Queryable,
  { incidentId, verb }: IncidentCommand,
  asked: QuestionContext,
): Promise<GatewayAnswer> {
  if (!coversRole(asked.role, 'developer'))
    return { text: null, toast: sayError('NOT_PERMITTED', { role: asked.role, needed: 'developer' }) };
  const answer = verb === 'take' ? await take(db, incidentId, asked) : await silence(db, incidentId, asked);
  // The person who presses a button looks at the card, so the gateway writes the newest count on it.
  return { text: null, toast: answer, chats: await updateIncidentCards(db, incidentId) };
}

async function take(db: Queryable, incidentId: string, asked: QuestionContext): Promise<string> {
  const { userKey } = asked.envelope;
  const taken = await takeIncident(db, incidentId, userKey);
  if (taken === null) return say('alarms.isOver');
  if (taken.isNew) await auditCommand(db, asked, 'incident.taken', { incident: incidentId });
  if (taken.takenBy === userKey) return say('alarms.youTook');
  const user = await findUser(db, taken.takenBy);
  return say('alarms.takenAlready', { name: toPlainName(user?.name ?? taken.takenBy) });
}

async function silence(db: Queryable, incidentId: string, asked: QuestionContext): Promise<string> {
  if (!(await muteIncident(db, incidentId))) return say('alarms.isOver');
  await auditCommand(db, asked, 'incident.silenced', { incident: incidentId });
  return say('alarms.silenced');
}
