import { toPlainName } from '@signalbox/contracts/plain-name';
import { sayDuration } from '@signalbox/messages/duration';
import { say } from '@signalbox/messages/say';
import { listConversations, type RememberedConversation } from '@signalbox/store/memory/conversations';
import { listFacts, type MemoryFact } from '@signalbox/store/memory/facts';
import type { ChatCommand } from '../chat-command.ts';

/** As many facts as fit on a phone. */
const MAX_FACTS = 20;
const MAX_CONVERSATIONS = 8;

export default {
  name: 'memory',
  who: 'viewer',
  personal: true,
  menu: { place: 35, description: 'menu.memory' },
  help: 'help.memory',
  answer: async ({ db }, _, { envelope: { userKey } }) => {
    const { facts, total } = await listFacts(db, userKey, MAX_FACTS);
    const conversations = await listConversations(db, userKey, MAX_CONVERSATIONS);
    return { text: describeMemory({ facts, total, conversations }) };
  },
} satisfies ChatCommand;

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
  const factLines = facts.map(({ n, fact, outside }) =>
    say('memory.fact', {
      n,
      fact: toPlainName(fact),
      isOutside: outside !== null,
      source: toPlainName(outside ?? ''),
    }),
  );
  const conversationLines = conversations.map(({ threadId, title, lastActiveAt, changes }) =>
    say('memory.conversation', {
      threadId,
      time: sayDuration(Math.max(0, now - lastActiveAt.getTime())),
      isTitled: title !== null,
      title: toPlainName(title ?? ''),
      changes,
    }),
  );
  return [
    ...(factLines.length === 0 ? [say('memory.no-facts')] : [`${say('memory.facts')}\n${factLines.join('\n')}`]),
    ...(total > facts.length ? [say('memory.more-facts', { count: total - facts.length })] : []),
    ...(conversationLines.length === 0 ? [] : [`${say('memory.conversations')}\n${conversationLines.join('\n')}`]),
    say('memory.usage'),
  ].join('\n\n');
}
