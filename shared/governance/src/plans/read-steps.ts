import { AppError } from '@signalbox/contracts/errors';
import { makeStepId, PlanInput, type PlanStep } from '@signalbox/contracts/governance/plan';
import { coversRole, type Role } from '@signalbox/contracts/governance/roles';
import { createFailedResult, type RunnableCall, type StepCall, type ToolCallResult } from '../calls/call.ts';
import type { InstalledTools } from '../calls/tools.ts';

type Read = { readonly runnable: RunnableCall } | { readonly refused: ToolCallResult };

/** Who proposes a plan, with the capability groups that they may use. */
export interface PlanAuthor {
  readonly agent: string;
  readonly role: Role;
  readonly groups: readonly string[];
}

/**
 * Adds the calls of a plan's steps to its call; other calls stay as they are. A plan in a plan, a tool that the person may not use, a step
 * that its tool cannot read and a condition that the step before cannot meet are refused, before anything is decided. Pure.
 */
export function readSteps(tools: Pick<InstalledTools, 'read'>, call: RunnableCall, findAuthor: () => PlanAuthor): Read {
  if (!call.tool.isPlan) return { runnable: call };
  const author = findAuthor();
  const plan = PlanInput.parse(call.input); // the tool's own schema has parsed it
  const steps: StepCall[] = [];
  for (const [at, step] of plan.steps.entries()) {
    const read = readStep(tools, call, author, { step, at, before: steps.at(-1) });
    if ('refused' in read) return read;
    steps.push({ call: read.runnable, if: step.if ?? 'done' });
  }
  return { runnable: { ...call, steps } };
}

function readStep(
  tools: Pick<InstalledTools, 'read'>,
  { actionId, name }: RunnableCall,
  { agent, role, groups }: PlanAuthor,
  { step, at, before }: { readonly step: PlanStep; readonly at: number; readonly before: StepCall | undefined },
): Read {
  const refuse = (detail: string): Read => {
    const error = new AppError('TOOL_INPUT_INVALID', { tool: name, detail: `step ${at + 1}: ${detail}` });
    return { refused: createFailedResult(error, step) };
  };
  const call = { actionId: makeStepId(actionId, at + 1), tool: step.tool, args: step.args, groups };
  const read = tools.read(call, agent);
  if ('refused' in read) return refuse(read.refused.say);
  const { tool } = read.runnable;
  if (tool.isPlan) return refuse('a plan holds no other plan');
  if (!coversRole(role, tool.role))
    return { refused: createFailedResult(new AppError('NOT_PERMITTED', { role, needed: tool.role })) };
  const condition = step.if ?? 'done';
  if (condition === 'done' || before?.call.tool.measures.includes(condition)) return read;
  return refuse(WHAT_MEASURES[condition]);
}

/** For the model. */
const WHAT_MEASURES = {
  healthy: 'the step before it has to measure the health, such as check_service_health',
  exit_0: 'the step before it has to run a command, such as run_command',
} as const;
