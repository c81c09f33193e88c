import { HumanMessage } from '@langchain/core/messages';
import type { LangGraphRunnableConfig } from '@langchain/langgraph';
import { IntentSchema, INTENT_TOOL } from './base-tools.ts';
import { runOf, type GraphParts } from './parts.ts';
import { systemMessage } from './prompt.ts';
import type { SessionState, SessionUpdate } from './state.ts';

/** The parser needs the request, not a history: this many of the newest messages are enough. */
const MESSAGES_READ = 6;

/**
 * First node of a new task: what is wanted, and which groups that needs. Installed groups are loaded at once, which saves a pass.
 * An unusable answer is not an error: product_owner can still ask for capabilities itself.
 */
export function intentParser(parts: GraphParts) {
  return async (state: SessionState, config: LangGraphRunnableConfig): Promise<SessionUpdate> => {
    const { run, names } = runOf(config);
    const system = systemMessage(state, run.actor, parts.registry.catalog, await names());
    const recent = state.messages.filter(HumanMessage.isInstance).slice(-MESSAGES_READ);
    const answer = await parts
      .bind([INTENT_TOOL], INTENT_TOOL.name)
      .invoke([system, ...recent], { signal: run.signal });
    const call = answer.tool_calls?.find((candidate) => candidate.name === INTENT_TOOL.name);
    const intent = IntentSchema.safeParse(call?.args);
    if (!intent.success) return { errors: ['intent_parser: no usable answer'] };
    const { installed } = parts.registry.sort(intent.data.capabilities);
    return {
      taskSummary: intent.data.task_summary,
      activeCapabilities: [...installed],
      currentProject: intent.data.project,
    };
  };
}
