import { z } from 'zod';
import { Role } from './roles.ts';

/** How bad the worst outcome of honest use is. Governance reads the risk; the model never does. */
export const Risk = z.enum(['safe', 'sensitive', 'dangerous']);
export type Risk = z.infer<typeof Risk>;

/** Classes of agents. Each class limits its agents' rights, for any person: see agent-bounds.ts. */
export const AgentClass = z.enum([
  'READ_ONLY_SCAN',
  'PLANNING_SYNTHESIS',
  'REGISTRY_STATE',
  'WRITE_GATED',
  'CONTROL_PLANE',
]);
export type AgentClass = z.infer<typeof AgentClass>;

export const ActionKind = z.enum(['tool_call', 'shell_cmd', 'code_diff', 'answer']);
export type ActionKind = z.infer<typeof ActionKind>;

/** Where the effect takes place; `none` without an environment. */
export const ActionEnvironment = z.enum(['none', 'local', 'staging', 'production']);
export type ActionEnvironment = z.infer<typeof ActionEnvironment>;

/** The assessed risk of an action, from 0 (harmless) to 1, with reasons. */
export const RiskAssessment = z.object({
  risk: Risk,
  score: z.number().min(0).max(1),
  /** Sentences for people, such as "the command is not on the allow-list". */
  reasons: z.array(z.string().max(500)).max(20),
  /** True when the thread read text from outside and the call is not in the person's own words, or an argument comes from that text. */
  tainted: z.boolean(),
  /** True when the action or its thread reads private data. */
  touchesPrivate: z.boolean(),
  /** True when the action can send data out of the system. */
  egress: z.boolean(),
  /** Age of the request at arrival, when above ten minutes. */
  ageMs: z.number().nonnegative().optional(),
  /** Set when the action can only do harm: policy always denies it, with this sentence. */
  refusal: z.string().max(500).optional(),
});
export type RiskAssessment = z.infer<typeof RiskAssessment>;

/**
 * A proposed action, immutable. A change creates a new action with this one as its parent. `actionId` derives from thread, turn and call,
 * so that a resumed turn finds the action again.
 */
export const ProposedAction = z.object({
  actionId: z.string().min(1).max(160),
  parentActionId: z.string().max(160).nullable(),
  kind: ActionKind,
  tool: z.string().min(1).max(120),
  group: z.string().min(1).max(120),
  /** SHA-256 of the schema of the tool's input. */
  toolVersion: z.string().min(1).max(80),
  /** Arguments after parsing by the tool's schema. */
  arguments: z.record(z.string(), z.json()),
  /** Resolved references, such as the commit of `main`, covered by the approval. Missing when nothing was resolved. */
  resolved: z.record(z.string(), z.json()).optional(),
  /** Resources that the tool declares to use: `project:shop`, `server:db-main`. */
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
