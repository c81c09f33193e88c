import { abortAfter } from '@signalbox/contracts/time';
import { coversRole } from '@signalbox/contracts/governance/roles';
import { AppError } from '@signalbox/contracts/errors';
import { makeStepId, PlanInput, type PlanStep } from '@signalbox/contracts/governance/plan';
import { LANGUAGES } from '@signalbox/messages/language';
import { say } from '@signalbox/messages/say';
import type { ToolCall } from '@signalbox/governance/calls/call';
import type { CallScope } from '@signalbox/governance/calls/call';
import { abortWithSignal } from './tool-bounds.ts';
import type { ArgumentChoices, ResolveContext } from './tool.ts';
import type { ToolRegistry } from './registry.ts';
import type { ToolRunDeps } from './run.ts';
import { createResolveContext } from './resolving.ts';

/*
 * Looks up an argument's choices before anything is asked or decided. The chosen value replaces the model's, so that the conversation,
 * its record and the action agree: `1.2` where the model wrote `newest`. Reads only.
 */

export interface ChoiceDeps extends Pick<ToolRunDeps, 'ports' | 'work'> {
  readonly registry: Pick<ToolRegistry, 'find' | 'groups'>;
}

export interface AskedArgument {
  readonly tool: string;
  readonly argument: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** The maximum number of buttons; people overlook more. */
const SHOWN = 6;

/** Lists the values that the argument may have, the likeliest first; empty when unknown. `callId`: the call that asks. */
export async function findChoices(
  parts: ChoiceDeps,
  scope: CallScope,
  callId: string,
  { tool: name, argument, arguments: given }: AskedArgument,
): Promise<readonly string[]> {
  const found = await lookUp(parts, scope, { actionId: callId, tool: name, args: given }, async (choices, look) => {
    const source = choices[argument];
    return source ? source.list(given, look) : [];
  });
  return found?.slice(0, SHOWN) ?? [];
}

/** Replaces “the newest” in the arguments of a call, or of a plan's steps, by the first choice, unless something has exactly that name. */
export async function resolveNewestArgs(
  parts: ChoiceDeps,
  scope: CallScope,
  call: Omit<ToolCall, 'groups'>,
): Promise<Readonly<Record<string, unknown>> | null> {
  const given = call.args as Readonly<Record<string, unknown>>; // a model's arguments are an object
  const plan = PlanInput.safeParse(given).data;
  if (plan) return resolveNewestOfSteps(parts, scope, call, plan);
  return lookUp(parts, scope, call, async (choices, look) => {
    const meant: Record<string, unknown> = {};
    for (const [argument, { list, has }] of Object.entries(choices)) {
      const said = given[argument];
      if (!isNewest(said) || (await has(given, said, look))) continue;
      const [newest] = await list(given, look);
      if (newest !== undefined) meant[argument] = newest;
    }
    return Object.keys(meant).length > 0 ? { ...given, ...meant } : null;
  });
}

async function resolveNewestOfSteps(
  parts: ChoiceDeps,
  scope: CallScope,
  { actionId }: Omit<ToolCall, 'groups'>,
  { steps }: PlanInput,
): Promise<Readonly<Record<string, unknown>> | null> {
  const meant: PlanStep[] = [];
  for (const [at, step] of steps.entries()) {
    const call = { actionId: makeStepId(actionId, at + 1), tool: step.tool, args: step.args };
    const args = await resolveNewestArgs(parts, scope, call);
    meant.push(args ? { ...step, args: args as PlanStep['args'] } : step); // the step's own arguments, and texts
  }
  return meant.some((step, at) => step !== steps[at]) ? { steps: meant } : null;
}

function isNewest(value: unknown): value is string {
  if (typeof value !== 'string') return false;
  const word = value.trim().toLowerCase();
  return LANGUAGES.some((language) => say('deploy.newestWords', {}, language).split(', ').includes(word));
}

/** Returns null when the tool offers no choices, the person may not use the tool, or the look-up fails. */
async function lookUp<T>(
  parts: ChoiceDeps,
  scope: CallScope,
  { actionId, tool: name, args: input }: Omit<ToolCall, 'groups'>,
  find: (choices: Readonly<Record<string, ArgumentChoices>>, look: ResolveContext) => Promise<T>,
): Promise<T | null> {
  const groups = parts.registry.groups.map((group) => group.name);
  const found = parts.registry.find(name, groups);
  if (!found || Object.keys(found.tool.choices).length === 0) return null;
  if (!coversRole(scope.actor.role, found.tool.role)) return null;
  const deadline = abortAfter(found.tool.deadlineMs);
  const look = createResolveContext(parts, scope, { actionId, name, input, group: found.group }, null);
  try {
    return await abortWithSignal(find(found.tool.choices, look), AbortSignal.any([scope.signal, deadline]));
  } catch (error) {
    if (scope.signal.aborted) throw scope.signal.reason;
    const isExpected = error instanceof AppError && error.code !== 'LANE_LOST' && error.code !== 'ACTION_ID_TAKEN';
    if (!isExpected && !deadline.aborted) throw error;
    scope.log.info('choices not found', { tool: name, error });
    return null;
  }
}
