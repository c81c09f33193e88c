import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from '@langchain/core/messages';
import type { OfferedButton, OutboundFile } from '@signalbox/contracts/conversation/envelope';
import { readHandledMessageId } from '@signalbox/models/kept';
import { getMessageText } from '@signalbox/models/message-text';
import type { AgentReply } from '../agent.ts';
import { HANDOFF } from '../handoff.ts';
import { BASE_TOOLS, isBaseTool } from './base-tools.ts';
import { sayFiles } from './sentences.ts';

const MAX_FILES = 10;

/** Derives the turn's replies from the state; a resumed turn derives the same keys. Files are sent with the next answer. */
export function listRepliesSince(messages: readonly BaseMessage[], start: number): readonly AgentReply[] {
  const results = new Map(messages.filter(ToolMessage.isInstance).map((message) => [message.tool_call_id, message]));
  const replies: AgentReply[] = [];
  let waiting: readonly OutboundFile[] = [];
  const withFiles = (reply: AgentReply): AgentReply => {
    const files = waiting.slice(0, MAX_FILES);
    waiting = waiting.slice(MAX_FILES);
    return files.length > 0 ? { ...reply, files } : reply;
  };
  for (const message of messages.slice(start)) {
    if (ToolMessage.isInstance(message)) waiting = [...waiting, ...filesOf(message)];
    if (!AIMessage.isInstance(message)) continue;
    const text = getMessageText(message).trim();
    if (text !== '') replies.push(withFiles({ key: message.id ?? '', text, buttons: [] }));
    // Texts of respond_to_user are sent during the turn, before the turn's files are known.
    replies.push(...(message.tool_calls ?? []).flatMap((call) => callReply(call, results.get(call.id ?? ''))));
  }
  while (waiting.length > 0) {
    const key = `files_${waiting[0]?.artifactId ?? ''}`;
    replies.push(withFiles({ key, text: sayFiles(waiting.length), buttons: [] }));
  }
  return replies;
}

/** Adds the buttons of the newest tool result to the last reply, unless that reply has buttons. */
export function addNextButtons(
  replies: readonly AgentReply[],
  messages: readonly BaseMessage[],
): readonly AgentReply[] {
  const last = replies.at(-1);
  // The reply itself may be a call.
  const result = messages.findLast((message) => ToolMessage.isInstance(message) && !isBaseTool(message.name ?? ''));
  const next = result?.additional_kwargs['next'] as readonly OfferedButton[] | undefined; // Only po-tools writes this field
  if (!last || last.buttons.length > 0 || !next) return replies;
  return [...replies.slice(0, -1), { ...last, buttons: next }];
}

/** Returns the message to which the newest answer replies. `afterReply`: the person had seen a reply before writing the message. */
export function findLastRequest(
  messages: readonly BaseMessage[],
): { readonly id: string; readonly afterReply: boolean } | null {
  const last = messages.findLast(AIMessage.isInstance);
  const about = readHandledMessageId(last);
  const humans = messages.filter(HumanMessage.isInstance);
  const request = humans.find((message) => message.id === about) ?? humans.at(-1);
  if (!request?.id) return null;
  const before = messages.slice(0, messages.indexOf(request));
  return { id: request.id, afterReply: listRepliesSince(before, 0).length > 0 };
}

function filesOf(message: ToolMessage): readonly OutboundFile[] {
  return (message.additional_kwargs['files'] as readonly OutboundFile[] | undefined) ?? []; // Only po-tools writes this field
}

function callReply(
  call: { readonly id?: string; readonly name: string; readonly args: unknown },
  result: ToolMessage | undefined,
): readonly AgentReply[] {
  if (!result || result.status === 'error') return [];
  if (call.name === 'finish_task')
    return [{ key: call.id ?? '', text: String(result.additional_kwargs['say'] ?? ''), buttons: [] }];
  if (call.name === HANDOFF) {
    const buttons = (result.additional_kwargs['next'] ?? []) as readonly OfferedButton[]; // Only po-tools writes this field
    return [{ key: call.id ?? '', text: String(result.additional_kwargs['say'] ?? ''), buttons }];
  }
  if (call.name !== 'respond_to_user') return [];
  const parsed = BASE_TOOLS.respond_to_user.input.safeParse(call.args);
  return parsed.success ? [{ key: call.id ?? '', text: parsed.data.message, buttons: parsed.data.choices }] : [];
}
