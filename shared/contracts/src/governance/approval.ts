import { z } from 'zod';
import type { Role } from './roles.ts';

/**
 * Effects of an approval card's buttons. `ask`: question the requester. `grant`: approve this and similar actions for a while. `show`:
 * show everything that the hash covers, without deciding.
 */
const ApprovalVerb = z.enum(['approve', 'grant', 'reject', 'modify', 'ask', 'withdraw', 'show']);

/** The decision that a button carries; pressing it sends no message. */
export const ApprovalCommand = z.object({
  approvalId: z.string().min(1).max(80),
  verb: ApprovalVerb,
  reason: z.string().max(300).optional(),
});
export type ApprovalCommand = z.infer<typeof ApprovalCommand>;

export const EssentialValue = z.object({
  /** Its lines as written by `renderExact`. */
  shown: z.string(),
  /** Lines of the approval card that already contain the whole value, which then needs no line of its own; null otherwise. */
  told: z.array(z.string()).nullable(),
});
export type EssentialValue = z.infer<typeof EssentialValue>;

/** The content of an approval card. All texts are redacted and for people. */
export const ApprovalCard = z.object({
  /** The action in one line: "Deploy shop 1.4.2 to production". */
  what: z.string(),
  /** What will change: arguments or a diff. */
  change: z.string(),
  /** Resolved references at the time of the request: see ProposedAction. */
  resolved: z.record(z.string(), z.json()).optional(),
  /** The exact action as written by `renderExact`, compared with what runs. */
  exact: z.string().optional(),
  /** Values that the decision depends on. Missing: all of them. */
  essential: z.array(EssentialValue).optional(),
  /** The requester's message without secrets. */
  words: z.string().optional(),
  risk: z.string().optional(),
  reach: z.string(),
  undo: z.string(),
  /** Why approval is needed: the sentence of the rule. */
  why: z.string(),
  requester: z.string(),
  /** Describes the action that this action modifies; null for none. */
  changedFrom: z.string().nullable(),
});
export type ApprovalCard = z.infer<typeof ApprovalCard>;

export const ApprovalStatus = z.enum(['pending', 'approved', 'rejected', 'modified', 'expired', 'void', 'consumed']);
export type ApprovalStatus = z.infer<typeof ApprovalStatus>;

/** One approval: a row bound to the hash of one exact action. */
export interface Approval {
  readonly approvalId: string;
  readonly actionId: string;
  readonly userKey: string;
  readonly chatKey: string;
  readonly threadId: string;
  readonly turnId: string;
  readonly traceId: string;
  readonly hash: string;
  readonly rule: string;
  readonly policy: string;
  readonly needed: number;
  readonly role: Role;
  readonly solo: boolean;
  /** True for a confirmation: only the requester decides. */
  readonly byRequester: boolean;
  readonly authors: readonly string[];
  readonly card: ApprovalCard;
  readonly status: ApprovalStatus;
  readonly requestedAt: Date;
  readonly expiresAt: Date;
  readonly decidedBy: string | null;
  readonly reason: string | null;
  /** Arguments that a modification changes; null for none. */
  readonly change: Readonly<Record<string, unknown>> | null;
}

export interface ApprovalVote {
  readonly userKey: string;
  readonly name: string;
  /** Role at the time of the vote; null in older votes. */
  readonly role: Role | null;
}
