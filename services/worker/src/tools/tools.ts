import { AppError } from '@signalbox/contracts/errors';
import type { RunnableCall } from '@signalbox/governance/calls/call';
import type { InstalledTools } from '@signalbox/governance/calls/tools';
import { parseToolCall } from './call-reading.ts';
import type { ToolRegistry } from './registry.ts';
import { resolveCall } from './resolving.ts';
import { probeTool, runTool, type HandledCall, type ToolRunDeps } from './run.ts';
import { limitPorts } from './tool-bounds.ts';

export function createTools(registry: ToolRegistry, parts: ToolRunDeps): InstalledTools {
  return {
    groups: registry.groups,
    find: registry.find,
    read: (call, agent) => parseToolCall(registry, call, agent),
    resolve: (scope, call, before) => resolveCall(parts, scope, handled(call), before),
    preview: async (call) => {
      const { tool, group, input, resolved = null } = handled(call);
      try {
        return await tool.preview(input, { ports: limitPorts(parts.ports, group), resolved });
      } catch (thrown) {
        if (thrown instanceof AppError) return thrown;
        throw thrown;
      }
    },
    run: (scope, call, how) => runTool(parts, scope, handled(call), how),
    probe: (scope, call) => probeTool(parts, scope, handled(call)),
  };
}

function handled(call: RunnableCall): HandledCall {
  return call as HandledCall; // `find` or `read` above added the tool
}
