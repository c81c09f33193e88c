import type { Fault } from '../support/scaffold-copy.ts';

/** A mistake in one file of a channel. */
interface ChannelFault extends Fault {
  readonly file: 'channel' | 'client' | 'encode' | 'receive';
}

const ADMIT = 'await admit(updates.map(decode));';

/** One for each rule that a single mistake can break alone. */
export const CHANNEL_FAULTS: readonly ChannelFault[] = [
  {
    what: 'takes the chat for the message',
    file: 'receive',
    right: 'chatKey: `postbox:${chat}`,',
    wrong: 'chatKey: `postbox:${messageId}`,',
    rule: 'puts its name before the keys of its chats and people, so that a person leads to their private chat',
  },
  {
    what: 'drops what comes in a large batch',
    file: 'receive',
    right: ADMIT,
    wrong: 'await admit(updates.slice(0, 4).map(decode));',
    rule: 'hands over what a person writes once, in the order in which it was written',
  },
  {
    what: 'takes seconds for milliseconds',
    file: 'receive',
    right: 'at * 1_000',
    wrong: 'at',
    rule: 'says when a person wrote, and that it was meant for us',
  },
  {
    what: 'hands over a text as it comes',
    file: 'receive',
    right: `text.replaceAll('\\u0000', '').toWellFormed()`,
    wrong: 'text',
    rule: 'hands over nothing that Postgres cannot store',
  },
  {
    what: 'acknowledges what is not stored yet',
    file: 'receive',
    right: `if (updates.length > 0) ${ADMIT}\n        after = updates.at(-1)?.id ?? after;`,
    wrong: `after = updates.at(-1)?.id ?? after;\n        if (updates.length > 0) ${ADMIT}`,
    rule: 'brings an update again that was not stored, under the same id and before what came after it',
  },
  {
    what: 'gives an update another id when it comes again',
    file: 'receive',
    right: ADMIT,
    wrong: 'await admit(updates.map((one) => ({ ...decode(one), updateId: `${one.id}.${failures}` })));',
    rule: 'brings an update again that was not stored, under the same id and before what came after it',
  },
  {
    what: 'gives updates ids of this process',
    file: 'receive',
    right: 'const { client, admit, log } = deps;',
    wrong: `const { client, log } = deps;
  const started = performance.now();
  const admit: typeof deps.admit = (updates) =>
    deps.admit(updates.map((one) => ({ ...one, updateId: [started, one.updateId].join() })));`,
    rule: 'brings after a restart what was not stored before it, under the id that it had',
  },
  {
    what: 'takes an edit for a new message',
    file: 'receive',
    right: `if (kind === 'edit') return { ...from, kind, text: clean(text), album: null };`,
    wrong: `if (kind === 'edit') return { ...from, kind: 'ignored', reason: 'edited', pressId: null };`,
    rule: 'hands over the new words of a message that a person changed',
  },
  {
    what: 'never says that all is well',
    file: 'receive',
    right: '        problem = null;\n',
    wrong: '',
    rule: 'has no problem once updates come in',
  },
  {
    what: 'counts buttons from one',
    file: 'encode',
    right: 'index: Number(index) }',
    wrong: 'index: Number(index) + 1 }',
    rule: 'names the row and the place of a button that is pressed',
  },
  {
    what: 'hands over each press twice',
    file: 'receive',
    right: ADMIT,
    wrong: `await admit(updates.map(decode).flatMap((one) => (one.kind === 'press' ? [one, one] : [one])));`,
    rule: 'hands over each press once, under an id of its own',
  },
  {
    what: 'does not answer a press',
    file: 'channel',
    right: `ignoreFailure('answer', client.answerPress(pressId, toast))`,
    wrong: 'Promise.resolve()',
    rule: 'stops the spinning of a button whose press is answered',
  },
  {
    what: 'puts the buttons under every part',
    file: 'encode',
    right: 'place < pieces.length - 1',
    wrong: 'place < 0',
    rule: 'shows the buttons of a long message once',
  },
  {
    what: 'draws lots when it encodes',
    file: 'encode',
    right: 'text: piece,',
    wrong: 'text: piece,\n    key: Math.random(),',
    rule: 'makes the same parts of the same row',
  },
  {
    what: 'leaves no room for the line above',
    file: 'encode',
    right: 'LIMIT - ROOM;',
    wrong: 'LIMIT;',
    rule: 'makes no part that the platform refuses, not even with a line above it',
  },
  {
    what: 'loses a character at each cut',
    file: 'encode',
    right: 'start = end;',
    wrong: 'start = end + 1;',
    rule: 'splits a long text without losing, repeating or tearing anything',
  },
  {
    what: 'leaves tables out',
    file: 'encode',
    right: 'removeReceiptMarks(cleanText(text))',
    wrong: `removeReceiptMarks(cleanText(text)).replace(/^\\|.*$/gm, '')`,
    rule: 'shows every word of a text with formatting',
  },
  {
    what: 'escapes what the platform does not read as markup',
    file: 'encode',
    right: 'removeReceiptMarks(cleanText(text))',
    wrong: `removeReceiptMarks(cleanText(text)).replaceAll('<', '&lt;')`,
    rule: 'shows signs that could be taken for formatting as they were meant',
  },
  {
    what: 'forgets the receipts',
    file: 'encode',
    right: 'receipts.length > 0 ?',
    wrong: 'receipts.length > 99 ?',
    rule: 'shows what the runtime did below the text',
  },
  {
    what: 'forgets the line above',
    file: 'channel',
    right: 'firstLine === null ? part : putAbove(firstLine, part)',
    wrong: 'part',
    rule: 'puts a line above a message that may have come before',
  },
  {
    what: 'changes the message before',
    file: 'channel',
    right: 'client.edit(toChat(chatKey), messageId, part)',
    wrong: 'client.edit(toChat(chatKey), messageId.replace(/\\d+/, (id) => String(Number(id) - 1)), part)',
    rule: 'changes the message that it is told to change, and no other',
  },
  {
    what: 'takes no message away',
    file: 'channel',
    right: `ignoreFailure('remove', client.remove(toChat(chatKey), messageId))`,
    wrong: 'Promise.resolve()',
    rule: 'takes the message away that it is told to take away, and no other',
  },
  {
    what: 'says sent to a person who has blocked us',
    file: 'client',
    right: `{ kind: 'blocked', reason }`,
    wrong: `{ kind: 'sent', messageId: 'm0' }`,
    rule: 'says that it may not write to a person who has blocked it',
  },
  {
    what: 'waits in seconds',
    file: 'client',
    right: '(retryAfter ?? 1) * 1_000',
    wrong: 'retryAfter ?? 1',
    rule: 'says in milliseconds how long the platform asks it to wait',
  },
  {
    what: 'calls a chat gone that has moved',
    file: 'client',
    right: "{ kind: 'moved', chatKey: `postbox:${chat}` }",
    wrong: `{ kind: 'gone' }`,
    rule: 'says where a chat has moved to',
  },
  {
    what: 'says sent when the answer was lost',
    file: 'client',
    right: 'return classifyRequestFailure(error);',
    wrong: `const failure = classifyRequestFailure(error);
      return failure.kind === 'ambiguous' ? { kind: 'sent', messageId: 'm0' } : failure;`,
    rule: 'leaves open whether a message has arrived whose answer was lost',
  },
  {
    what: 'gives up when the platform is out of order',
    file: 'client',
    right: 'status >= 500 || ',
    wrong: '',
    rule: 'calls a platform busy that has a problem of its own',
  },
  {
    what: 'tries again what is refused',
    file: 'client',
    right: `{ kind: 'rejected', detail: reason }`,
    wrong: `{ kind: 'busy', detail: reason }`,
    rule: 'gives up a message that the platform refuses',
  },
  {
    what: 'throws from a send',
    file: 'client',
    right: 'return null; // a page of something on the way',
    wrong: `throw new Error('no JSON');`,
    rule: 'answers a send with a value, and not as sent, when it cannot read what comes back',
  },
  {
    what: 'takes a missing connection for a lost answer',
    file: 'client',
    right: 'return classifyRequestFailure(error);',
    wrong: `return { ...classifyRequestFailure(error), kind: 'ambiguous' };`,
    rule: 'knows that a message never left when there is no connection',
  },
];
