import type { BaseMessage } from '@langchain/core/messages';

/** The text of a message. LangChain's own getter translates the content into blocks first, even where it is a string already. */
export function textOf(message: BaseMessage): string {
  return typeof message.content === 'string' ? message.content : message.text;
}
