import { IncidentCommand } from '@signalbox/contracts/conversation/envelope';
import { updateIncidentCards } from '@signalbox/store/incidents/incident-cards';
import { withTransaction, type Pool, type Queryable } from '@signalbox/store/pool';
import { findValue } from '@signalbox/store/sql';
import type { AdmissionPlan } from '../plan.ts';

/** Turns a press on the card of an incident into its command. A press from another chat than the card's is none. */
export async function matchIncidentPress(db: Queryable, plan: AdmissionPlan): Promise<AdmissionPlan> {
  const { press } = plan.admission;
  if (plan.answer !== null || press === null || plan.pressed === null) return plan;
  const found = await findValue<unknown>(db)`
    select o.body -> 'buttons' -> ${press.index}::int -> 'incident' from outbox o
     where o.id = ${press.outboxId}::bigint and chat_root(o.chat_key) = chat_root(${plan.pressed.chatKey})`;
  const act = IncidentCommand.safeParse(found);
  if (!act.success) return plan;
  return {
    ...plan,
    answer: { kind: 'incident', act: act.data },
    admission: { ...plan.admission, verdict: 'answer', reason: `incident ${act.data.verb}`, press: null },
  };
}

/**
 * Sends the card of an incident again, with buttons that work, after one of them was pressed: whoever diagnoses may still take it. Returns
 * the chats to wake; null when the pressed message is no such card.
 */
export async function renewPressedCard(pool: Pool, { admission }: AdmissionPlan): Promise<readonly string[] | null> {
  const { press } = admission;
  if (press === null) return null;
  const incidentId = await findValue<string>(pool)`
    select split_part(split_part(slot, '/', 1), ':', 2) from outbox where id = ${press.outboxId}::bigint and slot like 'incident:%'`;
  return incidentId === null ? null : withTransaction(pool, (db) => updateIncidentCards(db, incidentId));
}
