import { Handoff } from '@signalbox/contracts/conversation/envelope';
import { describeAgent } from '@signalbox/messages/agents';
import { say } from '@signalbox/messages/say';
import { chooseAgent, listAgents } from '@signalbox/store/conversation/agents';
import { putOutbox } from '@signalbox/store/conversation/outbox';
import type { Queryable } from '@signalbox/store/pool';
import { findValue, hasRow } from '@signalbox/store/sql';
import { toAnswerBody } from '../../commands/answer.ts';
import { createSwitchButton } from '../../commands/switches.ts';
import { createControlMessage } from '../control-line.ts';
import type { AdmissionPlan } from '../plan.ts';
import type { AdmissionResult } from '../../rows/inbox.ts';

/**
 * Notes that a press hands a person over to another agent. Only the reader of the button may press it. Without words to carry over, and
 * when no worker offers the agent any more, the press is answered as `/agent` is.
 */
export async function matchHandoffPress(db: Queryable, plan: AdmissionPlan): Promise<AdmissionPlan> {
  const { press } = plan.admission;
  if (plan.answer !== null || press === null || plan.pressed === null) return plan;
  const found = await findValue<unknown>(db)`
    select o.body -> 'buttons' -> ${press.index}::int -> 'handoff' from outbox o
     where o.id = ${press.outboxId}::bigint and o.user_key = ${plan.envelope.userKey}
       and chat_root(o.chat_key) = chat_root(${plan.pressed.chatKey})`;
  const handoff = Handoff.safeParse(found).data;
  if (!handoff) return plan;
  const isOffered = await hasRow(db)`select 1 from agents where id = ${handoff.agent}`;
  if (isOffered && handoff.messages.length > 0) return { ...plan, handoff };
  return {
    ...plan,
    answer: { kind: 'command', name: 'agent', rest: handoff.agent },
    admission: { ...plan.admission, verdict: 'answer', reason: `agent ${handoff.agent}`, press: null },
  };
}

/** Switches the agent of the chat and turns an accepted press into the person's own words. Returns the chat of the message that was queued. */
export async function settleHandoffPress(
  db: Queryable,
  { handoff, envelope }: AdmissionPlan,
  { verdict, id }: AdmissionResult,
): Promise<string | null> {
  if (handoff === null || verdict !== 'accepted' || id === null) return null;
  const chatKey = await carryWords(db, id, handoff.messages);
  const chat = { userKey: envelope.userKey, chatKey };
  const agents = await listAgents(db);
  const agent = agents.find((one) => one.id === handoff.agent);
  if (!agent || !(await chooseAgent(db, chat, agent.id))) return null;
  const { name, does } = describeAgent(agent);
  const usual = agents.find(({ isDefault, id: other }) => isDefault && other !== agent.id);
  const buttons = usual ? [createSwitchButton('agents.back', usual)] : [];
  const body = toAnswerBody({ text: say('agents.chosen', { name, does }), buttons }, { ...envelope, chatKey });
  await putOutbox(db, [createControlMessage({ ...envelope, chatKey }, `handoff:${envelope.id}`, body)]);
  return chatKey;
}

/**
 * Gives a press the words of these earlier messages of the same person, with the files and the mark of a forwarded text. The words count
 * as typed, because they were. Without any of these messages the press keeps its label.
 */
async function carryWords(db: Queryable, pressId: number, ids: readonly string[]): Promise<string> {
  const chatKey = await findValue<string>(db)`
    with said as (
      select string_agg(i.envelope ->> 'text', E'\\n\\n' order by i.id) as text,
             jsonb_agg(i.envelope -> 'attachments') filter (where i.envelope ? 'attachments') as files,
             jsonb_agg(i.envelope -> 'borrowed') filter (where i.envelope ? 'borrowed') -> 0 as borrowed
        from inbox i join inbox p on p.id = ${pressId}
       where i.user_key = p.user_key and i.kind = 'message' and i.envelope ->> 'id' = any (${[...ids]}))
    update inbox p
       set envelope = p.envelope || case when said.text is null then '{}' else jsonb_build_object('text', said.text, 'button', null) end
                   || case when said.files is null then '{}' else jsonb_build_object('attachments', jsonb_path_query_array(said.files, '$[*][*]')) end
                   || case when said.borrowed is null then '{}' else jsonb_build_object('borrowed', said.borrowed) end
      from said where p.id = ${pressId}
    returning p.chat_key`;
  return chatKey ?? '';
}
