import { say } from '@signalbox/messages/say';
import type { Publisher } from '@signalbox/platform/streams/publish';
import { watchRotas } from '@signalbox/store/oncall/hand-over';
import type { Pool } from '@signalbox/store/pool';
import type { HandlerOf } from '../runner/handlers.ts';
import { wakeChats } from '../runner/wake-chats.ts';

/** Tells who goes off call and who comes, and admins of people who are passed over. */
export function createRotasWatchHandler(parts: {
  readonly pool: Pool;
  readonly publisher: Publisher;
}): HandlerOf<'rotas.watch'> {
  return {
    title: () => say('jobs.watchingRotas'),
    run: async (_, { signal, log }) => {
      signal.throwIfAborted();
      const { told, chats } = await watchRotas(parts.pool);
      await wakeChats({ publisher: parts.publisher, log }, chats);
      return { told };
    },
    say: (counts) => say('jobs.rotasWatched', counts),
    isNotable: ({ told }) => told > 0,
  };
}
