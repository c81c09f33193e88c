import { z } from 'zod';

/** Conditions of a step, about the step before it. `done` holds whenever a step is reached. */
export const StepCondition = z.enum(['done', 'healthy', 'exit_0']);
export type StepCondition = z.infer<typeof StepCondition>;

/** Maximum number of steps: one approval card shows all of them. */
const MAX_STEPS = 10;

/** One call of a plan, as the model proposes it. */
export const PlanStep = z.strictObject({
  tool: z.string().min(1).max(120),
  args: z.record(z.string(), z.json()).default({}),
  if: StepCondition.exactOptional().describe('What must hold of the step before; otherwise the plan stops here'),
});
export type PlanStep = z.infer<typeof PlanStep>;

/** The arguments of a plan: its calls, in order. */
export const PlanInput = z.strictObject({ steps: z.array(PlanStep).min(2).max(MAX_STEPS) });
export type PlanInput = z.infer<typeof PlanInput>;

/** How a step ended: it is done, or this is why the plan stopped at it. */
const StepEnd = z.enum(['done', 'failed', 'unknown', 'not_met', 'changed', 'refused', 'stopped']);

export const StepOutcome = z.object({
  state: StepEnd,
  /** What came of the step, in one sentence for people. */
  say: z.string(),
  /** True when the sentence may contain words from outside. */
  isOutside: z.boolean(),
  /** Conditions of the next step that this step meets. */
  meets: z.array(StepCondition),
});
export type StepOutcome = z.infer<typeof StepOutcome>;

/** Builds the action id of a step (from 1): the idempotency key of its effect. */
export function makeStepId(planId: string, step: number): string {
  return `${planId}_s${step}`;
}

/** Lists the values of a call that a person may change: of a plan those of its steps, as `2.version`. Pure. */
export function listChangeableValues(args: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const plan = PlanInput.safeParse(args);
  if (!plan.success) return args;
  return Object.fromEntries(
    plan.data.steps.flatMap((step, at) =>
      Object.entries(step.args).map(([name, value]) => [`${at + 1}.${name}`, value] as const),
    ),
  );
}

/** Applies changed values, by the names of `listChangeableValues`. Pure. */
export function changeValues(
  args: Readonly<Record<string, unknown>>,
  change: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const plan = PlanInput.safeParse(args);
  if (!plan.success) return { ...args, ...change };
  const steps = plan.data.steps.map((step, at) => {
    const own = Object.entries(change).flatMap(([name, value]) =>
      name.startsWith(`${at + 1}.`) ? [[name.slice(`${at + 1}.`.length), value] as const] : [],
    );
    return { ...step, args: { ...step.args, ...Object.fromEntries(own) } };
  });
  return { steps };
}
