import { z } from 'zod';
import { Role } from './roles.ts';

/** How bad the worst honest outcome is. Governance reads it; the model never does. */
export const Risk = z.enum(['safe', 'sensitive', 'dangerous']);
export type Risk = z.infer<typeof Risk>;

/** What an agent of a class may do at all, for any person. */
export const AgentClass = z.enum([
  'READ_ONLY_SCAN',
  'PLANNING_SYNTHESIS',
  'REGISTRY_STATE',
  'WRITE_GATED',
  'CONTROL_PLANE',
]);
export type AgentClass = z.infer<typeof AgentClass>;

/** What kind of effect it has. An answer has none. */
export const ActionKind = z.enum(['tool_call', 'shell_cmd', 'code_diff', 'answer']);
export type ActionKind = z.infer<typeof ActionKind>;

/** Where its effect lands; `none` for what has no environment. */
export const Environment = z.enum(['none', 'local', 'staging', 'production']);
export type Environment = z.infer<typeof Environment>;

/** How far the risk of an action is known, and why it is not lower. Score 0 (harmless) to 1. */
export const RiskAssessment = z.object({
  risk: Risk,
  score: z.number().min(0).max(1),
  /** Sentences for people, such as "the command is not on the allow-list". */
  reasons: z.array(z.string().max(500)).max(20),
  /** Text from outside was read in this thread and the call is not in the person's own words, or an argument stands in such text. */
  tainted: z.boolean(),
  /** It reads what is private, or this thread did. */
  touchesPrivate: z.boolean(),
  /** It can carry data out of the system. */
  egress: z.boolean(),
  /** How old the words that asked for it were when they came in, where that was more than ten minutes. */
  ageMs: z.number().nonnegative().optional(),
  /** It can only do harm: policy denies it whatever rules permit, and this sentence says why. */
  refusal: z.string().max(500).optional(),
});
export type RiskAssessment = z.infer<typeof RiskAssessment>;

/**
 * What an agent wants to do, frozen: nothing of it changes after it was proposed. A changed wish is a new action that names the
 * old one as its parent. `actionId` is thread, turn and call, so that a resumed turn finds it again.
 */
export const ProposedAction = z.object({
  actionId: z.string().min(1).max(160),
  /** The action that this one was modified from. */
  parentActionId: z.string().max(160).nullable(),
  kind: ActionKind,
  tool: z.string().min(1).max(120),
  group: z.string().min(1).max(120),
  /** SHA-256 of the schema of the tool's input. */
  toolVersion: z.string().min(1).max(80),
  /** As the schema has parsed them. */
  arguments: z.record(z.string(), z.json()),
  /**
   * What the arguments stand for, looked up before policy was asked: `main` is this commit. A part of what is approved. Missing where
   * a tool looks nothing up.
   */
  resolved: z.record(z.string(), z.json()).optional(),
  /** What it declares to touch: `project:shop`, `server:db-main`. */
  resources: z.array(z.string().max(200)).max(50),
  environment: Environment,
  requester: z.object({ userKey: z.string(), role: Role }),
  agent: z.string(),
  agentClass: AgentClass,
  threadId: z.string(),
  turnId: z.string(),
  chatKey: z.string(),
  assessment: RiskAssessment,
});
export type ProposedAction = z.infer<typeof ProposedAction>;
