import { BaseMessage } from '@langchain/core/messages';
import { messagesStateReducer } from '@langchain/langgraph';

/** Appends messages with LangGraph's result, but without its several scans of all messages per update. */
export function addMessages(before: BaseMessage[], update: Parameters<typeof messagesStateReducer>[1]): BaseMessage[] {
  const added = Array.isArray(update) ? update : [update];
  const appended = added.filter((one): one is BaseMessage => BaseMessage.isInstance(one) && one.getType() !== 'remove');
  const ids = new Set(appended.map(({ id }) => id));
  const isAppended = appended.length === added.length && ids.size === added.length && !ids.has(undefined);
  if (!isAppended || before.some(({ id }) => ids.has(id))) return messagesStateReducer(before, update);
  return [...before, ...appended];
}
