import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from '@langchain/core/messages';
import { wrapOutside } from '@signalbox/contracts/governance/outside';

/*
 * Shows a model who wrote what. An event of the runtime (a decision, the end of a job) is the result of a call named `next_event`, which
 * nobody can type. A forwarded text stands in an envelope. The built-in planner reads the messages as they are stored.
 */

const EVENT_KEY = 'event';
/** The key under which an agent stores that others may have written a message. */
export const OUTSIDE_KEY = 'outside';

/** Who else may have written a message: others by its event, by a forward, or by the name of a file that came with it. */
export type OutsideMark = 'event' | 'forward' | 'file';

/** Replaces events and forwarded texts by their form for a model. Pure. */
export function convertMessages(messages: readonly BaseMessage[]): BaseMessage[] {
  let isBegun = false;
  let events = 0;
  return messages.flatMap((message) => {
    if (!HumanMessage.isInstance(message)) return [message];
    const event = message.additional_kwargs[EVENT_KEY] as { kind: string; say?: string } | undefined; // the agent stored it
    const mark = message.additional_kwargs[OUTSIDE_KEY];
    if (event?.say !== undefined) {
      const told = { event: event.kind, say: mark === undefined ? event.say : wrapOutside(event.kind, event.say) };
      const content = JSON.stringify(told);
      // Servers want a conversation to begin with a person.
      if (!isBegun) return [new HumanMessage({ id: message.id, content: `next_event: ${content}` } as never)]; // the id may be absent
      const id = `event_${(events += 1)}`;
      return [
        new AIMessage({ content: '', tool_calls: [{ type: 'tool_call', id, name: 'next_event', args: {} }] }),
        new ToolMessage({ tool_call_id: id, name: 'next_event', content }),
      ];
    }
    isBegun = true;
    if (mark === undefined || event !== undefined) return [message];
    return [new HumanMessage({ id: message.id, content: quoteOthers(message.text, mark) } as never)]; // the id may be absent
  });
}

/** Puts what others wrote of a message into an envelope: all of a forward, and the lines about files. */
function quoteOthers(text: string, mark: unknown): string {
  if (mark !== 'file') return JSON.stringify(wrapOutside('forward', text));
  const lines = text.split('\n');
  const end = lines.findLastIndex((line) => !line.startsWith('[attached: ')) + 1;
  return [...lines.slice(0, end), JSON.stringify(wrapOutside('file', lines.slice(end).join('\n')))].join('\n');
}
