import { AppError } from '@signalbox/contracts/errors';
import type { StepCondition } from '@signalbox/contracts/governance/plan';
import { say } from '@signalbox/messages/say';
import { listEssentialValues } from '@signalbox/safety/cards/essential';
import type { EssentialValue } from '@signalbox/contracts/governance/approval';
import type { Proposal } from '@signalbox/store/governance/approvals';
import type { RunnableCall } from '../calls/call.ts';
import type { ActionPreview } from '../calls/tool.ts';
import type { GovernanceDeps } from '../deps.ts';
import { getActionTitle } from '../receipts.ts';

/** The tool's preview of a call; of a plan the previews of its steps, each in one line. An error when a preview failed. */
export async function describeCall(
  deps: Pick<GovernanceDeps, 'tools'>,
  call: RunnableCall,
): Promise<ActionPreview | null | AppError> {
  if (!call.steps) return deps.tools.preview(call);
  const seen: StepPreview[] = [];
  const changed = new Set<string>();
  for (const { call: own, if: condition } of call.steps) {
    const shown = await describeStep(deps, own);
    if (shown instanceof AppError) return shown;
    const services = own.tool.resources(own.input, own.resolved).filter((resource) => resource.startsWith('service:'));
    // The state before the plan is no longer there when a step before has changed it; undoing that one leads back to it.
    const isAgain = shown.preview !== null && services.some((service) => changed.has(service));
    const preview = isAgain && shown.preview ? { ...shown.preview, undo: '' } : shown.preview;
    seen.push({ ...shown, preview, change: isAgain ? '' : shown.change, if: condition });
    if (preview !== null) for (const service of services) changed.add(service);
  }
  const changes = seen.filter(({ preview }) => preview !== null);
  const listed = (of: (preview: ActionPreview) => string): string =>
    [...new Set(changes.flatMap(({ preview }) => (preview === null ? [] : [of(preview)])))]
      .filter((text) => text !== '')
      .join(' · ');
  return {
    what: say('governance.planWhat', { count: seen.length }),
    change: '',
    reach: listed(({ reach }) => reach),
    undo: listed(({ undo }) => undo),
    steps: seen.map(({ what, change, if: condition }) =>
      say('governance.planLine', { condition, what, hasChange: change !== '', change }),
    ),
  };
}

export interface StepText {
  readonly what: string;
  readonly change: string;
}

type StepPreview = StepText & { readonly preview: ActionPreview | null; readonly if: StepCondition };

/** Describes one step. `preview`: null for a tool without one. An error when the preview failed. */
export async function describeStep(
  deps: Pick<GovernanceDeps, 'tools'>,
  call: RunnableCall,
): Promise<(StepText & { readonly preview: ActionPreview | null }) | AppError> {
  const preview = await deps.tools.preview(call);
  if (preview instanceof AppError) return preview;
  // arguments are shown as JSON
  const args = JSON.parse(JSON.stringify(call.input)) as Proposal['action']['arguments'];
  const what = preview?.what ?? getActionTitle(call.tool, { tool: call.name, arguments: args });
  return { what, change: preview?.change ?? '', preview };
}

/** Lists the values that a decision about a plan depends on, named by their step: `2.version`. */
export function listPlanValues(call: RunnableCall, { action, steps }: Proposal): readonly EssentialValue[] {
  const calls = call.steps ?? [];
  if (!steps) return listEssentialValues(action, call.tool.values(action.resolved ?? null));
  return steps.flatMap(({ proposal: { action: own } }, at) => {
    const number = (name: string): string => `${at + 1}.${name}`;
    const declared = calls[at]?.call.tool.values(own.resolved ?? null) ?? { told: [], derived: [] };
    // A look is one line of the card, which names what it looks at.
    const told = own.assessment.risk === 'safe' ? Object.keys(own.arguments) : declared.told;
    const renamed = (names: readonly string[]): string[] =>
      names.map((name) => (name.startsWith('→ ') ? `→ ${number(name.slice(2))}` : number(name)));
    const named = { arguments: byStep(own.arguments, number), resolved: byStep(own.resolved ?? {}, number) };
    return listEssentialValues(named, { told: renamed(told), derived: renamed(declared.derived) });
  });
}

function byStep<T>(values: Readonly<Record<string, T>>, number: (name: string) => string): Record<string, T> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [number(name), value]));
}
