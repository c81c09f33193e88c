import { HumanMessage, ToolMessage } from '@langchain/core/messages';
import type { Models } from '@signalbox/models/port';
import { createScriptedModels } from './scripted-model.ts';

/** A step as a model writes it. */
export interface WrittenStep {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly if?: 'done' | 'healthy' | 'exit_0';
}

/** A model that proposes what `plans` has for the person's words, calls `calls` for others, and repeats the results that it is given. */
export function createPlanningModels(
  plans: ReadonlyMap<string, readonly WrittenStep[]>,
  calls: ReadonlyMap<string, WrittenStep> = new Map(),
): Models {
  return createScriptedModels((messages, tools) => {
    if (tools.some(({ name }) => name === 'classify_intent')) {
      const capabilities = ['deploy', 'diagnose', 'workspace', 'plans', 'project_management'];
      return {
        toolCalls: [{ name: 'classify_intent', args: { task_summary: 'a task', capabilities, project: null } }],
      };
    }
    const last = messages.at(-1);
    if (last && ToolMessage.isInstance(last)) {
      const said = /"say":("(?:[^"\\]|\\.)*")/.exec(last.text)?.[1];
      const told = said === undefined ? last.text : String(JSON.parse(said));
      return { content: `It says: ${told}` };
    }
    const words = last && HumanMessage.isInstance(last) ? last.text : '';
    if (last?.additional_kwargs['event'] !== undefined) return { content: `It says: ${words}` };
    const steps = [...plans].find(([key]) => words.includes(key))?.[1];
    if (steps) return { toolCalls: [{ name: 'propose_plan', args: { steps } }] };
    const call = [...calls].find(([key]) => words.includes(key))?.[1];
    return call ? { toolCalls: [{ name: call.tool, args: { ...call.args } }] } : { content: 'All right.' };
  });
}
