import { z } from 'zod';
import { Role } from './roles.ts';
import { ActionKind, AgentClass, ActionEnvironment, RiskAssessment } from './action.ts';

/** Outcome of policy, from lenient to strict: `run` at once, `confirm` with a tap by the requester, `ask` another person, or `deny`. */
export const PolicyEffect = z.enum(['run', 'confirm', 'ask', 'deny']);
export type PolicyEffect = z.infer<typeof PolicyEffect>;

/** The decision of policy about one action, with the rule that decided. */
export const PolicyDecision = z.object({
  effect: PolicyEffect,
  /** Id of the rule that decided; `default-deny` when no rule permits the action, `policy-error` when a rule could not be evaluated. */
  rule: z.string().min(1).max(120),
  /** Reason for the decision in one sentence, for people. */
  sentence: z.string().min(1).max(500),
  score: z.number().min(0).max(1),
  /** SHA-256 of the policy set by which the action was decided. */
  policyVersion: z.string().min(1).max(80),
  /** With `ask`: the required approval. With `confirm`: one tap by the requester, who needs this role. Otherwise null. */
  approval: z
    .object({
      /** Number of people who have to approve. */
      approvals: z.int().min(1).max(10),
      /** The least role that an approver must have. */
      role: Role,
      expiresMs: z.int().positive(),
      /** True when the requester may approve alone after a pause, because no other approver exists. */
      solo: z.boolean(),
    })
    .nullable(),
});
export type PolicyDecision = z.infer<typeof PolicyDecision>;

/** Whether a person may act on an approval, a grant or a capability group. */
export const PermissionDecision = z.object({
  allowed: z.boolean(),
  rule: z.string(),
  sentence: z.string(),
  policyVersion: z.string(),
});
export type PermissionDecision = z.infer<typeof PermissionDecision>;

const left = z.number().nullable();

/** Everything except the policy set that a decision depends on: equal questions get equal answers. */
export const PolicyQuestion = z.object({
  principal: z.object({ userKey: z.string(), role: Role, agentClass: AgentClass }),
  action: z.object({
    kind: ActionKind,
    tool: z.string(),
    group: z.string(),
    environment: ActionEnvironment,
    resources: z.array(z.string()).readonly(),
    /** Parsed arguments; policies see strings, numbers and booleans among them. */
    arguments: z.record(z.string(), z.unknown()),
    assessment: RiskAssessment,
    /** The least role that the tool requires; without it, only the rules by risk apply. */
    leastRole: Role.exactOptional(),
  }),
  context: z.object({
    channel: z.string(),
    inGroup: z.boolean(),
    /** Time of the decision as ISO 8601, for rules about time windows and change freezes. */
    at: z.string(),
    /** True during a /freeze: only reads may run. */
    frozen: z.boolean(),
    /** True while an admin has opened break-glass access. */
    breakGlass: z.boolean(),
    /** Remaining budget of this hour or day; null when unlimited. */
    budget: z.object({ callsLeft: left, tokensLeft: left, costUsdLeft: left }),
    /** True when a limited grant by an operator covers this action. */
    granted: z.boolean(),
    /** Number of people besides the requester who could approve: 0 means solo mode. */
    otherApprovers: z.int().min(0),
  }),
});
export type PolicyQuestion = z.infer<typeof PolicyQuestion>;

/** Asks whether a person may decide about an action. `authors`: the people who requested or modified the action. */
export interface ApproverQuestion {
  readonly approver: { readonly userKey: string; readonly role: Role };
  readonly authors: readonly string[];
  readonly action: PolicyQuestion['action'];
  readonly context: PolicyQuestion['context'];
  /** Milliseconds since the request, because solo approvals have to wait. */
  readonly ageMs: number;
}

/** A loaded policy set, whose embedded examples passed. Pure: no clock, no I/O. */
export interface PolicyEngine {
  readonly version: string;
  decide(question: PolicyQuestion): PolicyDecision;
  mayApprove(question: ApproverQuestion): PermissionDecision;
  /** Decides whether a capability group may be loaded. */
  mayLoad(question: {
    readonly principal: PolicyQuestion['principal'];
    readonly group: string;
    readonly context: PolicyQuestion['context'];
  }): PermissionDecision;
}
