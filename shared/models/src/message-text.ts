import type { BaseMessage } from '@langchain/core/messages';

/** Returns the text of a message. Faster than LangChain's getter, which converts even plain strings to blocks. */
export function getMessageText(message: BaseMessage): string {
  return typeof message.content === 'string' ? message.content : message.text;
}
