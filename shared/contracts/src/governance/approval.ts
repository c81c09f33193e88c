import { z } from 'zod';
import type { Role } from './roles.ts';

/**
 * What the buttons of an approval card do. `ask`: question the requester. `grant`: approve this and similar actions for a while. `show`:
 * show everything that the hash covers, without deciding.
 */
const ApprovalVerb = z.enum(['approve', 'grant', 'reject', 'modify', 'ask', 'withdraw', 'show']);

/** The decision that a button stands for; pressing the button sends no message. */
export const ApprovalCommand = z.object({
  approvalId: z.string().min(1).max(80),
  verb: ApprovalVerb,
  reason: z.string().max(300).optional(),
});
export type ApprovalCommand = z.infer<typeof ApprovalCommand>;

export const EssentialValue = z.object({
  /** The value's lines as written by `renderExactAction`. */
  shown: z.string(),
  /** Lines of the approval card that already contain the whole value, which then needs no extra line; null when there are none. */
  told: z.array(z.string()).nullable(),
});
export type EssentialValue = z.infer<typeof EssentialValue>;

/** The sentences of an approval card, written by the runtime in one language. */
const CardTexts = z.object({
  /** One line that names the action: "Deploy shop 1.4.2 to production". */
  what: z.string(),
  /** What the action will change: its arguments or a diff. */
  change: z.string(),
  /** The steps of a plan in order, each in one line. Missing for other actions. */
  steps: z.array(z.string()).optional(),
  risk: z.string().optional(),
  reach: z.string(),
  undo: z.string(),
  /** Why the action needs approval: the sentence of the rule. */
  why: z.string(),
});
export type CardTexts = z.infer<typeof CardTexts>;

/** Content of an approval card. All texts are redacted and written for people, the sentences in the requester's language. */
export const ApprovalCard = CardTexts.extend({
  /** The requester's language, and the sentences in all languages of the product. Missing in requests of older releases. */
  language: z.string().optional(),
  texts: z.record(z.string(), CardTexts).optional(),
  /** References resolved at the time of the request: see ProposedAction. */
  resolved: z.record(z.string(), z.json()).optional(),
  /** The exact action as written by `renderExactAction`, which is compared with the action that runs. */
  exact: z.string().optional(),
  /** Values on which the decision depends. Missing when the decision depends on all values. */
  essential: z.array(EssentialValue).optional(),
  /** The requester's message without secrets. */
  words: z.string().optional(),
  /** Files that are sent with the card. */
  files: z
    .array(z.object({ artifactId: z.string(), name: z.string() }))
    .max(10)
    .optional(),
  /** True when people can only say yes or no, because another system waits for an answer to exactly this. */
  isFixed: z.literal(true).optional(),
  /** Rows that its values need beyond those of a card. */
  rows: z.int().positive().max(12).optional(),
  requester: z.string(),
  /** Describes the action that was changed into this one; null when there is none. */
  changedFrom: z.string().nullable(),
});
export type ApprovalCard = z.infer<typeof ApprovalCard>;

export const ApprovalStatus = z.enum(['pending', 'approved', 'rejected', 'modified', 'expired', 'void', 'consumed']);
export type ApprovalStatus = z.infer<typeof ApprovalStatus>;

/** An approval request: a row bound to the hash of one exact action. */
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
  /** True for a confirmation, about which only the requester decides. */
  readonly byRequester: boolean;
  readonly authors: readonly string[];
  readonly card: ApprovalCard;
  readonly status: ApprovalStatus;
  readonly requestedAt: Date;
  readonly expiresAt: Date;
  readonly decidedBy: string | null;
  readonly reason: string | null;
  /** Arguments changed by the person who modified the action; null when there are none. */
  readonly change: Readonly<Record<string, unknown>> | null;
}

export interface ApprovalVote {
  readonly userKey: string;
  readonly name: string;
  /** The voter's role at the time of the vote; null in votes of older releases. */
  readonly role: Role | null;
}
