import { HumanMessage, type BaseMessage } from '@langchain/core/messages';
import type { RecordedMessage, RecordedTurnRun } from '@signalbox/contracts/governance/execution-turn';
import { getCurrentLanguage, DEFAULT_LANGUAGE } from '@signalbox/messages/language';
import type { AgentMessage } from './agent.ts';
import { getOutsideMark, toOutsideExtras } from './outside-view.ts';

export function findTurnStart(messages: readonly BaseMessage[], batch: ReadonlySet<string>): number {
  const index = messages.findIndex((message) => message.id !== undefined && batch.has(message.id));
  return index === -1 ? messages.length : index;
}

/** Splits a turn's messages into `taken`, which an earlier run gave to the agent, and `later`. In a first run all are `taken`. */
export function splitTaken(known: ReadonlySet<string | undefined>, batch: readonly AgentMessage[]) {
  const taken = batch.filter(({ id }) => known.has(id));
  return taken.length === 0 ? { taken: batch, later: [] } : { taken, later: batch.filter(({ id }) => !known.has(id)) };
}

/** Lists messages of people and of the system since `start`. */
export function listRecordedMessages(messages: readonly BaseMessage[], start: number): readonly RecordedMessage[] {
  return messages
    .slice(start)
    .filter(HumanMessage.isInstance)
    .map((message) => ({
      id: message.id ?? '',
      text: message.text,
      event: eventOf(message),
      ...readsOf(message),
      ...toOutsideExtras({ outside: getOutsideMark(message) }),
    }));
}

/** The event as it came: whether the person was told of it is decided again in a replay. */
function eventOf({ additional_kwargs: { event, again } }: BaseMessage): RecordedMessage['event'] {
  const stored = (event ?? again ?? null) as RecordedMessage['event']; // The agent stored this field with the message
  if (stored === null || !('told' in stored)) return stored;
  const { told: _, ...came } = stored;
  return came;
}

function readsOf({ additional_kwargs: { reads } }: BaseMessage): Pick<RecordedMessage, 'reads'> {
  return reads === undefined ? {} : { reads: reads as RecordedMessage['reads'] }; // The agent stored this field with the message
}

export function toRecordedRun(
  run: { readonly turnId: string; readonly actor: RecordedTurnRun['actor'] },
  came: number,
): RecordedTurnRun {
  const { userKey, name, role } = run.actor;
  const language = getCurrentLanguage();
  const spoken = language === DEFAULT_LANGUAGE ? {} : { language };
  return { turnId: run.turnId, came, actor: { userKey, name, role }, ...spoken };
}
