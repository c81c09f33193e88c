import { asksForAgent, hasAgentPhrases } from '@signalbox/messages/agents';
import type { BoundTool } from '@signalbox/contracts/tool-catalog';
import { z } from 'zod';
import { readLiteralRequest } from '../requests/literals.ts';
import { findUnexplained } from '../requests/plain-order.ts';
import { HANDOFF_TOOL, type PlannedCall, type PlannerStep } from '../requests/marks.ts';
import { MIN_MATCH_SCORE, type RequestContext, rankRequestTools } from '../requests/understanding.ts';
import { readSmallTalk } from '../requests/small-talk.ts';
import type { IndexedTool } from '../rank/tool-index.ts';
import { isFiller, sensesOf, wordsOf } from '../text/tokens.ts';

/** A single agent is a constant in some forms of JSON Schema. */
const Schema = z.object({
  properties: z.object({ agent: z.object({ const: z.string().optional(), enum: z.array(z.string()).optional() }) }),
});

/** Lists the agents that the bound tool may offer; none without the tool. */
export function listOtherAgents(tools: readonly BoundTool[]): readonly string[] {
  const agent = Schema.safeParse(tools.find(({ name }) => name === HANDOFF_TOOL)?.schema).data?.properties.agent;
  return agent?.enum ?? (agent?.const === undefined ? [] : [agent.const]);
}

/**
 * Offers another agent in place of a step that does not fit the whole text: the agent whose phrases the text has, or else the one whose
 * tools a plain order asks for. An order that the step fits is carried out, whatever else its words could mean. `text`: as it was written.
 */
export function offerOtherAgent(
  step: PlannerStep,
  { text, read }: { readonly text: string; readonly read: string },
  agents: readonly string[],
  around: RequestContext,
): PlannerStep {
  if (agents.length === 0) return step;
  const named = fits(step, read, around) ? undefined : agents.find((agent) => asksForAgent(agent, text));
  if (named !== undefined) return { kind: 'handoff', agent: named };
  // Only an agent without phrases is known by its tools.
  const [general] = agents.filter((agent) => !hasAgentPhrases(agent));
  return general !== undefined && isPlainOrder(read, around) ? { kind: 'handoff', agent: general } : step;
}

/** True when a step carries out all of a text, or asks for more about what the text begins to order: “create a project for card payments”. */
function fits(step: PlannerStep, read: string, around: RequestContext): boolean {
  // “Remember that my bank card is blue” is an order in fixed words.
  if (readLiteralRequest(read, around.index, null) !== null) return true;
  const call = getCall(step);
  const name = call?.tool ?? (step.kind === 'ask' ? step.ask.tool : null);
  const tool = around.index.tools.find((one) => one.name === name);
  if (!tool) return false;
  if (call === null) return beginsOrder(tool, read) && wordsOf(read).some((word) => isTopic(tool, word));
  // A change that is called has been found plain before.
  return !tool.isHarmless || findUnexplained(read, { tool, args: call.args }, around, 'answer').length === 0;
}

function getCall(step: PlannerStep): PlannedCall | null {
  if (step.kind === 'load') return step.then;
  return step.kind === 'call' ? step.call : null;
}

/** True for an order that begins like an example of a tool which is not bound here. Names are not known: the text is not for this agent. */
function isPlainOrder(read: string, around: RequestContext): boolean {
  if (readSmallTalk(read) !== null) return false;
  const [best] = rankRequestTools(read, around);
  if (!best || best.score < MIN_MATCH_SCORE || !best.tool.installed || around.bound.has(best.tool.name)) return false;
  return beginsOrder(best.tool, read) && wordsOf(read).some((word) => isTopic(best.tool, word));
}

function beginsOrder({ verbs }: IndexedTool, read: string): boolean {
  const words = wordsOf(read);
  return [words[0] ?? '', words.find((word) => !isFiller(word)) ?? ''].some((word) => verbs.has(word));
}

function isTopic({ topics }: IndexedTool, word: string): boolean {
  return topics.has(word) || sensesOf(word).some(({ meaning }) => topics.has(meaning));
}
