import { INBOUND_TOPIC } from '@signalbox/contracts/conversation/topics';
import { say } from '@signalbox/messages/say';
import { publishStored, type Publisher } from '@signalbox/platform/streams/publish';
import type { Pool } from '@signalbox/store/pool';
import { runDueSchedules } from '@signalbox/store/schedules/due-schedules';
import type { HandlerOf } from '../runner/handlers.ts';
import { wakeChats } from '../runner/wake-chats.ts';

/** Tells due reminders, and puts due tasks into the lanes of their owners. */
export function createSchedulesHandler(parts: {
  readonly pool: Pool;
  readonly publisher: Publisher;
}): HandlerOf<'schedules.run'> {
  return {
    title: () => say('jobs.runningSchedules'),
    run: async (_, { signal, log }) => {
      signal.throwIfAborted();
      const { outcomes, chats, wakes, failures } = await runDueSchedules(parts.pool);
      for (const { id, error } of failures) log.error('schedule not run; it is tried again', { schedule: id, error });
      await wakeChats({ publisher: parts.publisher, log }, chats);
      await publishStored({ publisher: parts.publisher, log }, INBOUND_TOPIC, wakes);
      const count = (...kinds: readonly string[]): number => outcomes.filter((one) => kinds.includes(one)).length;
      return { ran: count('ran'), told: count('told'), missed: count('late', 'busy', 'paused') };
    },
    say: (counts) => say('jobs.schedulesRan', counts),
    isNotable: ({ ran, told, missed }) => ran + told + missed > 0,
  };
}
