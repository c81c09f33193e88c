import { createRegistry, type ToolRegistry } from '../tools/registry.ts';
import type { Tool, ToolGroup } from '../tools/tool.ts';

/** The same groups with the same words, risks and schemas, and no handler behind them: any call throws. */
export function withoutHandlers(groups: readonly ToolGroup[]): ToolRegistry {
  return createRegistry(
    groups.map((group) => ({
      ...group,
      tools: Object.fromEntries(Object.entries(group.tools).map(([name, tool]) => [name, withoutHandler(name, tool)])),
    })),
  );
}

function withoutHandler(name: string, tool: Tool): Tool {
  const refuse = (): never => {
    throw new Error(`${name} was called in a replay, where no tool may run. Results come from the record.`);
  };
  return { ...tool, run: refuse, probe: tool.probe && refuse, resolve: tool.resolve && refuse };
}
