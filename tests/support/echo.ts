import { HumanMessage, type BaseMessage } from '@langchain/core/messages';
import type { ModelScript } from './scripted-model.ts';

export const humans = (messages: readonly BaseMessage[]): HumanMessage[] => messages.filter(HumanMessage.isInstance);

/** A model that answers each message of the newest batch that has no answer yet, one by one, as "echo <text>". */
export function echo(delayMs: (text: string) => number = () => 0): ModelScript {
  return (messages, tools) => {
    if (tools.some((tool) => tool.name === 'classify_intent')) return intent();
    const closed = messages.findLastIndex((message) => message.getType() === 'ai' && message.text !== '');
    const [next, ...rest] = humans(messages.slice(closed + 1)).filter((human) => !said(messages, human.text));
    const text = next?.text ?? humans(messages).at(-1)?.text ?? '';
    const pause = delayMs(text);
    if (rest.length === 0) return { content: `echo ${text}`, delayMs: pause };
    return { toolCalls: [{ name: 'respond_to_user', args: { message: `echo ${text}` } }], delayMs: pause };
  };
}

function said(messages: readonly BaseMessage[], text: string): boolean {
  return messages.some(
    (message) => message.getType() === 'ai' && JSON.stringify([message.content, message]).includes(`echo ${text}"`),
  );
}

/** The answer of a parser that sees a need for these groups of tools alone. */
export function intent(...capabilities: readonly string[]) {
  return { toolCalls: [{ name: 'classify_intent', args: { task_summary: 'test', capabilities, project: null } }] };
}
