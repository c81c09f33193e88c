import { AppError } from '@signalbox/contracts/errors';
import { findUnstorable, makeStorable } from '@signalbox/contracts/storable';
import { createFailedResult, type ToolCall, type ToolCallResult } from '@signalbox/governance/calls/call';
import { mayUseGroup } from './agent-groups.ts';
import type { ToolRegistry } from './registry.ts';
import type { RunnableCall } from '@signalbox/governance/calls/call';

/** Finds a call's tool and parses its arguments. Another agent's tool is refused like an unknown tool. Pure. */
export function parseToolCall(
  registry: ToolRegistry,
  call: ToolCall,
  agent: string,
): { readonly runnable: RunnableCall } | { readonly refused: ToolCallResult } {
  const unstorable = findUnstorable(call.tool, 'the name of the tool') ?? findUnstorable(call.args);
  if (unstorable !== null) {
    const data = { tool: makeStorable(call.tool), detail: unstorable };
    return { refused: createFailedResult(new AppError('TOOL_INPUT_INVALID', data)) };
  }
  const found = registry.find(call.tool, call.groups);
  if (!found || !mayUseGroup(agent, found.group)) {
    const loaded = loadedNames(registry, call.groups);
    return { refused: createFailedResult(new AppError('TOOL_UNKNOWN', { tool: call.tool, loaded })) };
  }
  const parsed = found.tool.input.safeParse(call.args ?? {});
  if (!parsed.success) {
    const detail = parsed.error.issues
      .map((issue) => `${issue.path.join('.') || 'arguments'}: ${issue.message}`)
      .join('; ');
    return { refused: createFailedResult(new AppError('TOOL_INPUT_INVALID', { tool: call.tool, detail })) };
  }
  return { runnable: { actionId: call.actionId, name: call.tool, input: parsed.data, ...found } };
}

function loadedNames(registry: ToolRegistry, groups: readonly string[]): string {
  const names = registry.definitions(groups).map((definition) => definition.name);
  return names.length > 0 ? names.join(', ') : 'none but the base tools; load a group with request_capabilities';
}
