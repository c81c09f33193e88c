import { z } from 'zod';
import type { AgentClass } from '../governance/action.ts';

/** The steps of chains, with the agent class that limits the rights of each step. */
export const STEP_CLASSES = {
  discovery: 'READ_ONLY_SCAN',
  stack_map: 'READ_ONLY_SCAN',
  health_score: 'READ_ONLY_SCAN',
  secrets_and_risk: 'READ_ONLY_SCAN',
  dependency: 'READ_ONLY_SCAN',
  engineering_principles: 'READ_ONLY_SCAN',
  doc_audit: 'READ_ONLY_SCAN',
  next_steps: 'PLANNING_SYNTHESIS',
  refactor_planner: 'PLANNING_SYNTHESIS',
  report_writer: 'WRITE_GATED',
  doc_manager: 'WRITE_GATED',
  rollback: 'CONTROL_PLANE',
} as const satisfies Readonly<Record<string, AgentClass>>;
export type StepName = keyof typeof STEP_CLASSES;

export interface ChainStep {
  readonly name: StepName;
  /** Input of the step: `$.discovery`, or several outputs such as `$.discovery,$.stack`; null when it only reads the repository. */
  readonly input: string | null;
  /** Key under which later steps find the output of this step. */
  readonly output: string;
  /** True when the chain continues after this step has failed. */
  readonly continueOnFailure: boolean;
}

const step = (name: StepName, input: string | null, output: string, continueOnFailure = false): ChainStep => ({
  name,
  input,
  output,
  continueOnFailure,
});

/** Maximum attempts of a step that kills its process. After the last attempt the step fails, and the chain continues if it may. */
export const STEP_ATTEMPTS = 10;

/** Chains by name; each is a list of steps in order. */
export const CHAINS = {
  discovery_analysis: [
    step('discovery', null, 'discovery'),
    step('stack_map', '$.discovery', 'stack'),
    step('health_score', '$.discovery,$.stack', 'health'),
    step('report_writer', '$.discovery,$.stack,$.health', 'report'),
  ],
  security_scan: [
    step('discovery', null, 'discovery'),
    step('secrets_and_risk', '$.discovery', 'security'),
    step('next_steps', '$.security', 'next'),
  ],
  dependency_audit: [
    step('discovery', null, 'discovery'),
    step('dependency', '$.discovery', 'dependencies'),
    step('secrets_and_risk', '$.discovery', 'security', true),
    step('report_writer', '$.discovery,$.dependencies,$.security', 'report'),
  ],
  doc_generation: [
    step('discovery', null, 'discovery'),
    step('stack_map', '$.discovery', 'stack'),
    step('engineering_principles', '$.discovery', 'principles'),
    step('doc_audit', '$.discovery', 'documentation'),
    step('doc_manager', '$.discovery,$.stack,$.principles,$.documentation', 'documents'),
  ],
  tech_debt: [
    step('discovery', null, 'discovery'),
    step('stack_map', '$.discovery', 'stack'),
    step('health_score', '$.discovery,$.stack', 'health'),
    step('engineering_principles', '$.discovery', 'principles'),
    step('refactor_planner', '$.health,$.principles', 'plan'),
    step('next_steps', '$.health,$.principles', 'next'),
  ],
  full_analysis: [
    step('discovery', null, 'discovery'),
    step('stack_map', '$.discovery', 'stack'),
    step('secrets_and_risk', '$.discovery', 'security', true),
    step('dependency', '$.discovery', 'dependencies', true),
    step('engineering_principles', '$.discovery', 'principles', true),
    step('doc_audit', '$.discovery', 'documentation', true),
    step('health_score', '$.discovery,$.stack', 'health', true),
    step('refactor_planner', '$.health,$.principles', 'plan', true),
    step('next_steps', '$.security,$.dependencies,$.principles,$.documentation', 'next', true),
    step('doc_manager', '$.discovery,$.stack,$.principles,$.documentation', 'documents', true),
    step('report_writer', '$.discovery,$.stack,$.health,$.security,$.dependencies,$.plan,$.next', 'report'),
  ],
} as const satisfies Readonly<Record<string, readonly ChainStep[]>>;

export const ChainName = z.enum(
  Object.keys(CHAINS) as [keyof typeof CHAINS, ...(keyof typeof CHAINS)[]], // The keys of the table above
);
export type ChainName = z.infer<typeof ChainName>;

/**
 * Resolves the input of a step: `$.a` gives the output under `a`, `$.a,$.b` an object of both. Outputs of failed steps are missing.
 * Throws for any other form, which is a bug in the chain.
 */
export function resolveInput(
  input: string | null,
  state: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  if (input === null) return {};
  const keys = input.split(',').map((path) => /^\$\.([a-z_]+)$/.exec(path)?.[1]);
  const known = keys.filter((key): key is string => key !== undefined);
  if (known.length !== keys.length) throw new Error(`the input ${input} of a step is none: write $.a or $.a,$.b`);
  return Object.fromEntries(known.flatMap((key) => (Object.hasOwn(state, key) ? [[key, state[key]]] : [])));
}
