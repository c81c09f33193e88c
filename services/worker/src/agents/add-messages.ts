import { BaseMessage } from '@langchain/core/messages';
import { messagesStateReducer } from '@langchain/langgraph';

type Update = Parameters<typeof messagesStateReducer>[1];

/**
 * What LangGraph's reducer makes of messages and an update of them. It goes through all messages of a conversation with each update, and
 * LangGraph applies an update several times; where the update only appends, it is appended here.
 */
export function addMessages(before: BaseMessage[], update: Update): BaseMessage[] {
  const added = Array.isArray(update) ? update : [update];
  const appended = added.filter((one): one is BaseMessage => BaseMessage.isInstance(one) && one.getType() !== 'remove');
  const ids = new Set(appended.map(({ id }) => id));
  const isAppended = appended.length === added.length && ids.size === added.length && !ids.has(undefined);
  if (!isAppended || before.some(({ id }) => ids.has(id))) return messagesStateReducer(before, update);
  return [...before, ...appended];
}
