import { z } from 'zod';
import { Role } from './roles.ts';

/** Severity of the worst outcome of honest use. Governance decides by the risk; the model never sets it. */
export const Risk = z.enum(['safe', 'sensitive', 'dangerous']);
export type Risk = z.infer<typeof Risk>;

/** Classes of agents. A class limits the rights of its agents, whoever the person is: see agent-bounds.ts. */
export const AgentClass = z.enum([
  'READ_ONLY_SCAN',
  'PLANNING_SYNTHESIS',
  'REGISTRY_STATE',
  'WRITE_GATED',
  'CONTROL_PLANE',
  'ENGINEERING',
]);
export type AgentClass = z.infer<typeof AgentClass>;

export const ActionKind = z.enum(['tool_call', 'shell_cmd', 'code_diff', 'answer']);
export type ActionKind = z.infer<typeof ActionKind>;

/** Where the effect of an action takes place; `none` for an action outside all environments. */
export const ActionEnvironment = z.enum(['none', 'local', 'staging', 'production']);
export type ActionEnvironment = z.infer<typeof ActionEnvironment>;

/** The assessed risk of an action, from 0 (harmless) to 1, with reasons. */
export const RiskAssessment = z.object({
  risk: Risk,
  score: z.number().min(0).max(1),
  /** Reasons as sentences for people, such as "the command is not on the allow-list". */
  reasons: z.array(z.string().max(500)).max(20),
  /** True when the thread read text from outside and the call is not in the person's own words, or an argument comes from outside. */
  tainted: z.boolean(),
  /** True when the action or its thread reads private data. */
  touchesPrivate: z.boolean(),
  /** True when the action can send data out of the system. */
  egress: z.boolean(),
  /** Age of the request at its arrival, when above ten minutes. */
  ageMs: z.number().nonnegative().optional(),
  /** Sentence that explains why the action can only do harm; policy then always denies the action. Missing for all other actions. */
  refusal: z.string().max(500).optional(),
});
export type RiskAssessment = z.infer<typeof RiskAssessment>;

/**
 * A proposed action, immutable. A change creates a new action whose parent is this one. `actionId` derives from thread, turn and call, so
 * that a resumed turn finds the action again.
 */
export const ProposedAction = z.object({
  actionId: z.string().min(1).max(160),
  parentActionId: z.string().max(160).nullable(),
  kind: ActionKind,
  tool: z.string().min(1).max(120),
  group: z.string().min(1).max(120),
  /** SHA-256 of the input schema of the tool. */
  toolVersion: z.string().min(1).max(80),
  /** Arguments as parsed by the schema of the tool. */
  arguments: z.record(z.string(), z.json()),
  /** Resolved references, such as the commit of `main`; the approval covers them. Missing when nothing was resolved. */
  resolved: z.record(z.string(), z.json()).optional(),
  /** Resources that the tool declares for this call: `project:shop`, `server:db-main`. */
  resources: z.array(z.string().max(200)).max(50),
  environment: ActionEnvironment,
  requester: z.object({ userKey: z.string(), role: Role }),
  agent: z.string(),
  agentClass: AgentClass,
  threadId: z.string(),
  turnId: z.string(),
  chatKey: z.string(),
  assessment: RiskAssessment,
});
export type ProposedAction = z.infer<typeof ProposedAction>;
