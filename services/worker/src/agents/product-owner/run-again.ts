import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from '@langchain/core/messages';
import { makeCallId } from '@signalbox/contracts/ids';
import { createHandledExtras } from '@signalbox/models/kept';
import type { AgentMessage } from '../agent.ts';
import { isTalk } from './base-tools.ts';
import type { RunExtras } from './parts.ts';
import { getOutsideMark, toOutsideExtras } from '../outside-view.ts';
import { hasUnknownEffect } from './prompt.ts';
import type { SessionState, SessionUpdate } from './state.ts';
import { sayNothingToRepeat } from './sentences.ts';

/*
 * What happens when a node runs again after a finished turn:
 * - intent_parser: the person's newest words start a new task.
 * - product_owner: the model is asked again with the whole conversation.
 * - po_tools: failed calls of the newest answer are proposed as new actions, but no calls with a successful or unknown result.
 */

/** Creates the state update with which the graph continues at a node. `isUpdate`: apply the update as if product_owner had answered. */
export function createRerunUpdate(
  id: string,
  event: Extract<AgentMessage['event'], { kind: 'node' }>,
  before: Partial<Pick<SessionState, 'messages'>>,
  { run, turnKey, recorded }: Pick<RunExtras, 'run' | 'turnKey' | 'recorded'>,
): { readonly update: SessionUpdate; readonly isUpdate: boolean } {
  const messages = untilAnswered(before.messages ?? [], event.about);
  const words = messages.findLast((message) => HumanMessage.isInstance(message) && !message.additional_kwargs['event']);
  // `again` instead of `event`, because the model must read these words as the person's own.
  const asked = new HumanMessage({
    id,
    content: words?.text ?? event.say,
    additional_kwargs: { again: event, ...toOutsideExtras({ outside: words && getOutsideMark(words) }) },
  });
  if (event.node !== 'po_tools') return { update: { messages: [asked] }, isUpdate: false };
  const answerId = run.answerId(turnKey, 1);
  const calls = failedCalls(messages).map(({ name, args }, place) => ({
    type: 'tool_call' as const,
    name,
    args,
    id: makeCallId(answerId, place),
  }));
  const answer = new AIMessage({
    id: answerId,
    content: calls.length === 0 ? sayNothingToRepeat() : '',
    tool_calls: calls,
    additional_kwargs: createHandledExtras(id, calls.length === 0),
  });
  const part = { kind: 'asked' as const, turnKey, run: recorded, asks: [], answerId, modelId: null };
  return { update: { messages: [asked, answer], poIterations: 1, record: [part] }, isUpdate: true };
}

/** Returns the conversation up to the answer to this message; the whole conversation when the message is not found. */
function untilAnswered(messages: readonly BaseMessage[], about: string | undefined): readonly BaseMessage[] {
  const start = messages.findIndex(({ id }) => about !== undefined && id === about);
  const answered = messages.findIndex((message, place) => place > start && AIMessage.isInstance(message));
  const next = messages.findIndex((message, place) => place > answered && HumanMessage.isInstance(message));
  return start === -1 || answered === -1 || next === -1 ? messages : messages.slice(0, next);
}

/** Lists calls of the newest answer whose failure certainly changed nothing. Leaves out calls of the tool `say`. */
function failedCalls(messages: readonly BaseMessage[]): NonNullable<AIMessage['tool_calls']> {
  const answer = messages.findLast(
    (message): message is AIMessage =>
      AIMessage.isInstance(message) && (message.tool_calls ?? []).some(({ name }) => !isTalk(name)),
  );
  const failed = new Set(
    messages
      .filter(ToolMessage.isInstance)
      .filter((message) => message.status === 'error' && !hasUnknownEffect(message))
      .map((message) => message.tool_call_id),
  );
  return (answer?.tool_calls ?? []).filter(({ id, name }) => failed.has(id ?? '') && !isTalk(name));
}
