import { AIMessage, HumanMessage, RemoveMessage, type BaseMessage } from '@langchain/core/messages';
import { messagesStateReducer, REMOVE_ALL_MESSAGES } from '@langchain/langgraph';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { addMessages } from './add-messages.ts';

const id = fc.constantFrom('a', 'b', 'c', 'd', 'e');
const message = fc
  .tuple(id, fc.string(), fc.boolean())
  .map(([id, content, isHuman]): BaseMessage =>
    isHuman ? new HumanMessage({ id, content }) : new AIMessage({ id, content }),
  );
const update = fc.oneof(
  { weight: 5, arbitrary: message },
  fc.constantFrom(REMOVE_ALL_MESSAGES).map((id) => new RemoveMessage({ id })),
  fc.tuple(id, fc.string()).map(([id, content]) => ({ id, role: 'user', content })),
);

it('addMessages merges new messages into a conversation exactly as LangGraph’s own reducer does', () => {
  const before = fc.uniqueArray(message, { selector: (one) => one.id, maxLength: 5 });
  fc.assert(
    fc.property(before, fc.oneof(fc.array(update, { maxLength: 4 }), update), (there, added) => {
      const result = addMessages(there, added);
      const expected = messagesStateReducer(there, added);
      expect(result.map((one) => one.toDict())).toEqual(expected.map((one) => one.toDict()));
    }),
  );
});

it('addMessages gives an id to a message that has none', () => {
  const [added] = addMessages([], new HumanMessage('hello'));
  expect(added?.id).toMatch(/^[0-9a-f-]{36}$/);
});
