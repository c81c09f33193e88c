import { INBOUND_TOPIC } from '@signalbox/contracts/conversation/topics';
import { say } from '@signalbox/messages/say';
import { publishStored, type Publisher } from '@signalbox/platform/streams/publish';
import { notifyNextPeople } from '@signalbox/store/incidents/next-people';
import type { Pool } from '@signalbox/store/pool';
import type { HandlerOf } from '../runner/handlers.ts';

/** Tells the next people of incidents that nobody has taken. `minutes`: how long one without a rota waits for an answer. */
export function createEscalationHandler(parts: {
  readonly pool: Pool;
  readonly publisher: Publisher;
  readonly minutes: number;
}): HandlerOf<'incidents.escalate'> {
  return {
    title: () => say('jobs.escalating'),
    run: async (_, { signal, log }) => {
      signal.throwIfAborted();
      const lanes = await notifyNextPeople(parts.pool, parts.minutes);
      await publishStored({ publisher: parts.publisher, log }, INBOUND_TOPIC, lanes);
      return { asked: lanes.length };
    },
    say: (counts) => say('jobs.escalated', counts),
    isNotable: ({ asked }) => asked > 0,
  };
}
