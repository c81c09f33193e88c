import { z } from 'zod';
import { say } from '@signalbox/messages/say';
import { createActionButton } from '@signalbox/worker/guided/spec';

export const AGENT_ID = 'lost_card';
export const STATE_VERSION = 1;

const Last4 = z
  .string()
  .regex(/^[0-9]{4}$/)
  .describe('Last four digits');
const TransactionId = z.string().regex(/^[\w-]{1,60}$/);

/** A suspicious payment. `minor`: amount in the smallest unit of its currency. */
const Suspicious = z.object({
  transactionId: TransactionId,
  merchant: z.string(),
  at: z.string(),
  amount: z.object({ minor: z.int(), currency: z.string() }).nullable().default(null),
});

/** A payment of the list from which the person picks. */
const Listed = Suspicious.extend({ isSuspicious: z.boolean() });

/** Requests that need the person's confirmation. */
const CardRequest = z.enum(['freeze_card', 'order_replacement', 'report_fraud', 'reset']);
export type CardRequest = z.infer<typeof CardRequest>;

/** State of a lost-card conversation, without card numbers and codes. Policy and tools read the cards themselves. */
export const LostCardDomain = z.object({
  card_status: z.enum(['active', 'frozen', 'cancelled']),
  card_last4: Last4.nullable(),
  freeze_confirmed: z.boolean(),
  replacement_requested: z.boolean(),
  /** Arrival day of the new card: `2026-03-09`. */
  replacement_eta: z.string().nullable(),
  identity_verified: z.boolean(),
  risk_level: z.enum(['low', 'medium', 'high']),
  suspicious_tx: z.array(Suspicious),
  /** Payments that the person was shown, in the order of their numbers. */
  listed_tx: z.array(Listed).default([]),
  branch_requested: z.boolean(),
  escalation_required: z.boolean(),
  /** Number of messages in a row that were not understood. */
  trouble_count: z.int().nonnegative(),
  /** Last digits of the person's usable cards. */
  cards: z.array(Last4),
  /** Request to carry out after confirmation or proof of identity. */
  wanted: CardRequest.nullable(),
  /** Event that the conversation waits for. Within a turn: `next` proposes the request now, `proposed` means that it was just proposed. */
  awaiting: z.enum(['next', 'proposed', 'payments', 'confirmation', 'code', 'vouching', 'takeover']).nullable(),
  code_by: z.enum(['chat', 'operator']).nullable(),
  /** Reason for freezing, so that it holds for another card when the first one was the wrong one. */
  reason: z.enum(['lost', 'stolen']).nullable().default(null),
  /** Channel of the chat to which the code was sent. */
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
    listed_tx: [],
    branch_requested: false,
    escalation_required: false,
    trouble_count: 0,
    cards: [],
    wanted: null,
    awaiting: null,
    code_by: null,
    reason: null,
    code_channel: null,
  };
}

const OnCard = { card: Last4.optional() };

/** Actions of the lost-card agent. The last two prove the person's identity. */
export const ACTIONS = {
  freeze_card: {
    data: z.strictObject({ ...OnCard, because: z.enum(['lost', 'stolen']).optional() }),
    describe: 'The person has lost a card, it was stolen, or they want it frozen.',
  },
  choose_card: { data: z.strictObject({ card: Last4 }), describe: 'The person says which card they mean.' },
  ask_about: {
    data: z.strictObject({ topic: z.enum(['address', 'state']) }),
    describe:
      'The person asks where a new card goes or wants it sent elsewhere (address), or whether it is fine so far (state).',
  },
  order_replacement: { data: z.strictObject(OnCard), describe: 'The person wants a new card in the place of one.' },
  report_fraud: {
    data: z.strictObject({
      ...OnCard,
      transactions: z.array(TransactionId).max(20).optional(),
      numbers: z.array(z.int().min(1).max(20)).max(20).optional().describe('Numbers of the payments in the list'),
    }),
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
  reset: { data: z.strictObject(OnCard), describe: 'The person has found the card again and wants to use it.' },
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
  ask_operator: { data: z.strictObject({}), describe: 'The person wants an operator to vouch for them.' },
} as const;

export type LostCardAction = keyof typeof ACTIONS;

export function createButton(label: string, action: LostCardAction, data: Readonly<Record<string, unknown>> = {}) {
  return createActionButton(AGENT_ID, label, action, data);
}

export function createFreezeButton(last4: string) {
  return createButton(say('lost-card.freezeButton', { last4 }), 'freeze_card', { card: last4 });
}

export function createReplaceButton(last4: string) {
  return createButton(say('lost-card.replaceButton', { last4 }), 'order_replacement', { card: last4 });
}
