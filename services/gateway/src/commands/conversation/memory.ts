import { plainName } from '@signalbox/contracts/plain-name';
import { sayDuration } from '@signalbox/messages/duration';
import { say } from '@signalbox/messages/say';
import { listConversations, type RememberedConversation } from '@signalbox/store/memory/conversations';
import { listFacts, type MemoryFact } from '@signalbox/store/memory/facts';
import type { ChatCommand } from '../chat-command.ts';

/** A phone shows about so many. */
const FACTS_SHOWN = 20;
const CONVERSATIONS_SHOWN = 8;

export default {
  name: 'memory',
  who: 'viewer',
  personal: true,
  menu: { place: 35, description: 'menu.memory' },
  help: 'help.memory',
  answer: async ({ db }, _, { envelope: { userKey } }) => {
    const { facts, total } = await listFacts(db, userKey, FACTS_SHOWN);
    const conversations = await listConversations(db, userKey, CONVERSATIONS_SHOWN);
    return { text: describeMemory({ facts, total, conversations }) };
  },
} satisfies ChatCommand;

/** What is remembered, with what is written to remove it. */
export function describeMemory(
  {
    facts,
    total,
    conversations,
  }: {
    readonly facts: readonly MemoryFact[];
    readonly total: number;
    readonly conversations: readonly RememberedConversation[];
  },
  now = Date.now(),
): string {
  const told = facts.map(({ n, fact, outside }) =>
    say('memory.fact', {
      n,
      fact: plainName(fact),
      isOutside: outside !== null,
      source: plainName(outside ?? ''),
    }),
  );
  const talked = conversations.map(({ threadId, title, lastActiveAt, changes }) =>
    say('memory.conversation', {
      threadId,
      time: sayDuration(Math.max(0, now - lastActiveAt.getTime())),
      isTitled: title !== null,
      title: plainName(title ?? ''),
      changes,
    }),
  );
  return [
    ...(told.length === 0 ? [say('memory.no-facts')] : [`${say('memory.facts')}\n${told.join('\n')}`]),
    ...(total > facts.length ? [say('memory.more-facts', { count: total - facts.length })] : []),
    ...(talked.length === 0 ? [] : [`${say('memory.conversations')}\n${talked.join('\n')}`]),
    say('memory.usage'),
  ].join('\n\n');
}
