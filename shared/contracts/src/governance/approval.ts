import { z } from 'zod';
import type { Role } from './roles.ts';

/**
 * What a button of an approval card does. `ask`: a question to the requester. `grant`: approve this and the like for a while. `show`: all
 * that is bound is shown, and nothing is decided.
 */
const ApprovalVerb = z.enum(['approve', 'grant', 'reject', 'modify', 'ask', 'withdraw', 'show']);

/** Carried by a button instead of words: pressing it decides, and says nothing in the person's name. */
export const ApprovalAct = z.object({
  approvalId: z.string().min(1).max(80),
  verb: ApprovalVerb,
  /** A reason that is offered ready-made. */
  reason: z.string().max(300).optional(),
});
export type ApprovalAct = z.infer<typeof ApprovalAct>;

/** A value that a person decides by. */
export const EssentialValue = z.object({
  /** Its lines, as `renderExact` writes them. */
  shown: z.string(),
  /** What the lines of the card say of it, where they say all of it: then it needs no line of its own. */
  told: z.array(z.string()).nullable(),
});
export type EssentialValue = z.infer<typeof EssentialValue>;

/** What an approver reads before deciding. Every text is for people, redacted. */
export const ApprovalCard = z.object({
  /** The action in one line: "Deploy shop 1.4.2 to production". */
  what: z.string(),
  /** What will be different: arguments, or the diff. */
  change: z.string(),
  /** What the arguments stood for when it was asked for: see ProposedAction. */
  resolved: z.record(z.string(), z.json()).optional(),
  /** The exact action, as `renderExact` writes it: what runs is compared with it. */
  exact: z.string().optional(),
  /** The values of it that a person decides by. Left out: all of them. */
  essential: z.array(EssentialValue).optional(),
  /** What the person who asked wrote, without secrets. */
  words: z.string().optional(),
  /** What may go wrong, in whole sentences. */
  risk: z.string().optional(),
  /** What it touches. */
  reach: z.string(),
  /** How it is taken back. */
  undo: z.string(),
  /** Why a person is asked: the rule's sentence. */
  why: z.string(),
  /** Who asked for it. */
  requester: z.string(),
  /** The action that this one was changed from, in words. */
  changedFrom: z.string().nullable(),
});
export type ApprovalCard = z.infer<typeof ApprovalCard>;

export const ApprovalStatus = z.enum(['pending', 'approved', 'rejected', 'modified', 'expired', 'void', 'consumed']);
export type ApprovalStatus = z.infer<typeof ApprovalStatus>;

/** One approval: a row that is bound to the hash of one exact action. */
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
  /** A confirmation: only the requester decides. */
  readonly byRequester: boolean;
  readonly authors: readonly string[];
  readonly card: ApprovalCard;
  readonly status: ApprovalStatus;
  readonly requestedAt: Date;
  readonly expiresAt: Date;
  readonly decidedBy: string | null;
  readonly reason: string | null;
  /** The arguments that a modification changes. */
  readonly change: Readonly<Record<string, unknown>> | null;
}

/** A person who approved. */
export interface ApprovalVote {
  readonly userKey: string;
  readonly name: string;
  /** Their role at that moment; null in older votes. */
  readonly role: Role | null;
}
