import { ToolMessage, type BaseMessage } from '@langchain/core/messages';
import { cutLongResult, type CutRows } from '@signalbox/contracts/governance/long-result';
import type { ToolCallResult } from '@signalbox/governance/calls/call';
import type { AgentDeps } from '../agent.ts';
import { isBaseTool } from './base-tools.ts';

type ResultRequest = Parameters<AgentDeps['readResult']>[0];

/** Names the next result of the conversation. Results are counted, and no message leaves the state. Pure. */
export function makeHandle(before: readonly BaseMessage[], now: readonly BaseMessage[]): string {
  return `res_${[...before, ...now].filter(ToolMessage.isInstance).length + 1}`;
}

/** Cuts a long result of a tool at whole rows. A result of the record is cut already. Pure. */
export function shortenResult(
  whole: ToolCallResult,
  handle: string,
  tool: string,
): { readonly result: ToolCallResult; readonly more: readonly CutRows[] | undefined } {
  if (whole.more !== undefined || !whole.ok || isBaseTool(tool)) return { result: whole, more: whole.more };
  const { newest } = whole;
  const cut = cutLongResult(whole.result, { handle, newest });
  return cut ? { result: { ...whole, result: cut.result }, more: cut.more } : { result: whole, more: undefined };
}

/** Finds the result of a handle in this conversation. What a handle says otherwise finds nothing. Pure. */
export function findResult(
  messages: readonly BaseMessage[],
  handle: string,
): Pick<ResultRequest, 'callId' | 'given' | 'field'> {
  const [name, ...rest] = handle.split('.');
  const field = rest.length === 0 ? null : rest.join('.');
  const found = messages.findLast(
    (message) => ToolMessage.isInstance(message) && message.additional_kwargs['handle'] === name,
  );
  if (!found || !ToolMessage.isInstance(found)) return { callId: null, given: null, field };
  const isCut = found.additional_kwargs['more'] !== undefined;
  const told = JSON.parse(found.text) as { readonly result: unknown }; // po-tools wrote this JSON
  return { callId: found.tool_call_id, given: isCut ? null : { result: told.result }, field };
}

/** The blocks of a sentence show what stands in the result, which a model need not read twice. Pure. */
export function dropBlocks(text: string): string {
  return text.replace(/\s*^(`{3,})[^`]*$[\s\S]*?^\1$/gmu, ' …');
}
