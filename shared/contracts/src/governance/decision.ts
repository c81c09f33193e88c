import { z } from 'zod';
import { Role } from './roles.ts';
import { ActionKind, AgentClass, Environment, RiskAssessment } from './action.ts';

/** `run` unattended, have the requester `confirm` it with a tap, `ask` another person first, or `deny`. The later, the stricter. */
export const Effect = z.enum(['run', 'confirm', 'ask', 'deny']);
export type Effect = z.infer<typeof Effect>;

/** What policy says about one action, with the rule that said it. */
export const PolicyDecision = z.object({
  effect: Effect,
  /** Id of the rule that decided; `default-deny` when none permitted, `policy-error` when one could not be evaluated. */
  rule: z.string().min(1).max(120),
  /** One sentence for people: why. */
  sentence: z.string().min(1).max(500),
  score: z.number().min(0).max(1),
  /** SHA-256 of the policy set that decided. */
  policyVersion: z.string().min(1).max(80),
  /** With `ask`: what it takes. With `confirm`: one tap of the requester, who needs that role. Null otherwise. */
  approval: z
    .object({
      /** So many different people have to approve. */
      approvals: z.int().min(1).max(10),
      /** The least role of an approver. */
      role: Role,
      expiresMs: z.int().positive(),
      /** Whether the person who asked may approve alone, after a pause, because no one else could. */
      solo: z.boolean(),
    })
    .nullable(),
});
export type PolicyDecision = z.infer<typeof PolicyDecision>;

/** Whether a person may do something about an approval, a grant or a capability group. */
export const Permission = z.object({
  allowed: z.boolean(),
  rule: z.string(),
  sentence: z.string(),
  policyVersion: z.string(),
});
export type Permission = z.infer<typeof Permission>;

const left = z.number().nullable();

/** All that a decision is made from, besides the policy set: the same question always gets the same answer. */
export const PolicyQuestion = z.object({
  principal: z.object({ userKey: z.string(), role: Role, agentClass: AgentClass }),
  action: z.object({
    kind: ActionKind,
    tool: z.string(),
    group: z.string(),
    environment: Environment,
    resources: z.array(z.string()).readonly(),
    /** Parsed arguments; policies see their strings, numbers and booleans. */
    arguments: z.record(z.string(), z.unknown()),
    assessment: RiskAssessment,
    /** The least role that the tool itself asks for; without it only the rules by risk count. */
    leastRole: Role.exactOptional(),
  }),
  context: z.object({
    channel: z.string(),
    inGroup: z.boolean(),
    /** When it is decided, as ISO 8601: time windows and change freezes look at it. */
    at: z.string(),
    /** /freeze is in force: only reads go on. */
    frozen: z.boolean(),
    /** An admin has opened break-glass, for a while. */
    breakGlass: z.boolean(),
    /** What is left in this hour or day; null: unlimited. */
    budget: z.object({ callsLeft: left, tokensLeft: left, costUsdLeft: left }),
    /** A counted grant of an operator covers this action. */
    granted: z.boolean(),
    /** How many people could approve besides the one who asks: 0 means solo mode. */
    otherApprovers: z.int().min(0),
  }),
});
export type PolicyQuestion = z.infer<typeof PolicyQuestion>;

/** May this person decide about this action? `authors`: who asked for it or modified it. */
export interface ApproverQuestion {
  readonly approver: { readonly userKey: string; readonly role: Role };
  readonly authors: readonly string[];
  readonly action: PolicyQuestion['action'];
  readonly context: PolicyQuestion['context'];
  /** How long ago it was asked for, in milliseconds: solo approvals wait for a while. */
  readonly ageMs: number;
}

/** A loaded policy set whose own examples, its tests, have all passed. Pure: no clock, no I/O. */
export interface PolicyEngine {
  readonly version: string;
  decide(question: PolicyQuestion): PolicyDecision;
  mayApprove(question: ApproverQuestion): Permission;
  /** Whether a capability group may be loaded. */
  mayLoad(question: {
    readonly principal: PolicyQuestion['principal'];
    readonly group: string;
    readonly context: PolicyQuestion['context'];
  }): Permission;
}
