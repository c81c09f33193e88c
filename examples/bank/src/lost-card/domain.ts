import { z } from 'zod';
import { say } from '@signalbox/messages/say';
import { createActionButton } from '@signalbox/worker/guided/spec';

export const AGENT = 'lost_card';
export const STATE_VERSION = 1;

const Last4 = z.string().regex(/^[0-9]{4}$/);
const TransactionId = z.string().regex(/^[\w-]{1,60}$/);

/** A payment that looks as if somebody else had made it. `minor`: in the smallest unit of its currency. */
const Suspicious = z.object({
  transactionId: TransactionId,
  merchant: z.string(),
  at: z.string(),
  amount: z.object({ minor: z.int(), currency: z.string() }).nullable().default(null),
});

/** What a person wants to happen that takes their confirmation. */
const Wanted = z.enum(['freeze_card', 'order_replacement', 'report_fraud', 'reset']);
export type Wanted = z.infer<typeof Wanted>;

/**
 * What a conversation knows. It only remembers: whether a change may happen is decided by policy and by the tools, which look at the
 * cards themselves. There is never a number of a card in it, nor a code.
 */
export const LostCardDomain = z.object({
  card_status: z.enum(['active', 'frozen', 'cancelled']),
  card_last4: Last4.nullable(),
  freeze_confirmed: z.boolean(),
  replacement_requested: z.boolean(),
  /** The day on which the new card is there: `2026-03-09`. */
  replacement_eta: z.string().nullable(),
  identity_verified: z.boolean(),
  risk_level: z.enum(['low', 'medium', 'high']),
  suspicious_tx: z.array(Suspicious),
  branch_requested: z.boolean(),
  escalation_required: z.boolean(),
  /** Messages in a row that nobody understood. */
  trouble_count: z.int().nonnegative(),
  /** Last digits of the cards that can be meant. */
  cards: z.array(Last4),
  /** What is to happen next, once it is confirmed or it is certain who asks. */
  wanted: Wanted.nullable(),
  /**
   * What the conversation waits for: a tap of the person, a code, an operator who vouches, or one who takes the fraud over. Within a turn:
   * what is wanted may be proposed now (`next`), or was just proposed.
   */
  awaiting: z.enum(['next', 'proposed', 'confirmation', 'code', 'vouching', 'takeover']).nullable(),
  /** How the code comes. */
  code_by: z.enum(['chat', 'operator']).nullable(),
  /** The channel of the other chat that the code was sent to. */
  code_channel: z.string().nullable().default(null),
});
export type LostCardDomain = z.infer<typeof LostCardDomain>;

export function createInitialDomain(): LostCardDomain {
  return {
    card_status: 'active',
    card_last4: null,
    freeze_confirmed: false,
    replacement_requested: false,
    replacement_eta: null,
    identity_verified: false,
    risk_level: 'low',
    suspicious_tx: [],
    branch_requested: false,
    escalation_required: false,
    trouble_count: 0,
    cards: [],
    wanted: null,
    awaiting: null,
    code_by: null,
    code_channel: null,
  };
}

const OnCard = { card: Last4.optional() };

/** What the agent may be asked for. The last two are for whoever has to prove who they are. */
export const ACTIONS = {
  freeze_card: {
    data: z.strictObject({ ...OnCard, because: z.enum(['lost', 'stolen']).optional() }),
    describe: 'The person has lost a card, it was stolen, or they want it frozen.',
  },
  order_replacement: {
    data: z.strictObject(OnCard),
    describe: 'The person wants a new card in the place of one.',
  },
  report_fraud: {
    data: z.strictObject({ ...OnCard, transactions: z.array(TransactionId).max(20).optional() }),
    describe: 'The person does not recognize payments, or reports fraud.',
  },
  view_transactions: {
    data: z.strictObject(OnCard),
    describe: 'The person wants to see what was paid with a card.',
  },
  find_branch: {
    data: z.strictObject({ city: z.string().trim().min(1).max(80).optional() }),
    describe: 'The person looks for a branch of the bank.',
  },
  reset: {
    data: z.strictObject(OnCard),
    describe: 'The person has found the card again and wants to use it.',
  },
  verify_identity: {
    data: z.strictObject({
      code: z
        .string()
        .regex(/^secret:step-up-code-[0-9a-z]{8}$/)
        .optional(),
      by: z.enum(['chat', 'operator']).optional(),
    }),
    describe: 'The person asks for a code by which they prove who they are, or gives it.',
  },
  ask_operator: {
    data: z.strictObject({}),
    describe: 'The person wants an operator to vouch for them.',
  },
} as const;

export type LostCardAction = keyof typeof ACTIONS;

/** A button that asks for an action of this agent. */
export function createButton(label: string, action: LostCardAction, data: Readonly<Record<string, unknown>> = {}) {
  return createActionButton(AGENT, label, action, data);
}

export function createFreezeButton(last4: string) {
  return createButton(say('lost-card.freezeButton', { last4 }), 'freeze_card', { card: last4 });
}

export function createReplaceButton(last4: string) {
  return createButton(say('lost-card.replaceButton', { last4 }), 'order_replacement', { card: last4 });
}
