import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from '@langchain/core/messages';
import { isShortName, wrapOutside } from '@signalbox/contracts/governance/outside';
import type { RuntimeEvent } from '@signalbox/contracts/governance/runtime-event';

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
    const event = message.additional_kwargs[EVENT_KEY] as RuntimeEvent | undefined; // the agent stored it
    const mark = message.additional_kwargs[OUTSIDE_KEY];
    if (event?.say !== undefined) {
      const content = JSON.stringify(describeEvent(event, mark !== undefined));
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

/** Says what came, of which call and by whom. What people wrote stands in envelopes. */
function describeEvent({ kind, say, tool, job, outcome, by, reason, buttons, told }: RuntimeEvent, isOutside: boolean) {
  const quote = (text: unknown): unknown => (isOutside ? wrapOutside(kind, text) : text);
  return {
    event: kind,
    ...(tool === undefined ? {} : { call: tool }),
    ...(job === undefined ? {} : { job }),
    ...(outcome === undefined ? {} : { outcome }),
    ...(by === undefined ? {} : { by: by.map((name) => (isShortName(name) ? name : wrapOutside(kind, name))) }),
    ...(reason === undefined ? {} : { reason: wrapOutside(kind, reason) }),
    say: quote(say),
    ...(buttons === undefined ? {} : { buttons_below: quote(buttons) }),
    ...(told ? { told: 'The person has read this.' } : {}),
  };
}

/** Puts what others wrote of a message into an envelope: all of a forward, and the lines about files. */
function quoteOthers(text: string, mark: unknown): string {
  if (mark !== 'file') return JSON.stringify(wrapOutside('forward', text));
  const lines = text.split('\n');
  const end = lines.findLastIndex((line) => !line.startsWith('[attached: ')) + 1;
  return [...lines.slice(0, end), JSON.stringify(wrapOutside('file', lines.slice(end).join('\n')))].join('\n');
}
