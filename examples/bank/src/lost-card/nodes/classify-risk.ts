import { z } from 'zod';
import { say } from '@signalbox/messages/say';
import type { CardNodeContext, CardNodeOutcome } from '../cards.ts';
import { pickCard } from '../cards.ts';
import type { LostCardDomain } from '../domain.ts';

const Payments = z.object({
  transactions: z.array(
    z.object({
      transactionId: z.string(),
      merchant: z.string(),
      at: z.coerce.string(),
      amountMinor: z.int(),
      currency: z.string(),
      isSuspicious: z.boolean(),
      isReported: z.boolean(),
    }),
  ),
});

/** The number of payments to pick from; each is a button of a phone. */
const PAYMENTS_SHOWN = 8;

/**
 * Rates the risk that somebody else uses the card: high for theft or fraud, medium for loss. Raises the risk stored by the bank too,
 * because policy reads it.
 */
export async function classifyRisk(context: CardNodeContext): Promise<CardNodeOutcome> {
  const { given, domain } = context;
  const freeze = given('freeze_card');
  const report = given('report_fraud');
  if (!freeze && !report) return notUnderstood(domain);
  const picked = await pickCard(context, freeze ? 'freeze_card' : 'report_fraud', (freeze ?? report)?.card);
  if ('stop' in picked) return picked.stop;
  const { card, domain: known } = picked;
  const risk = report ? 'high' : findRisk(freeze?.because);
  const raised = risk === null ? card.risk : await raiseRisk(context, card.last4, risk, card.risk);
  const next = { ...known, risk_level: raised, trouble_count: 0, awaiting: null };
  if (freeze && card.status === 'frozen') {
    const said = { text: say('lost-card.frozenAlready', { last4: card.last4 }), buttons: [] };
    return { domain: { ...next, wanted: null, freeze_confirmed: true }, replies: [said], view: 'frozen' };
  }
  if (freeze)
    return { domain: { ...next, wanted: 'freeze_card', reason: freeze.because ?? null }, goto: 'freeze_card' };
  return pickPayments(context, next, card.last4, report ?? {});
}

/** Takes the payments that the person named; otherwise shows the newest ones, so that they pick those that are not theirs. */
export async function pickPayments(
  context: CardNodeContext,
  next: Partial<LostCardDomain>,
  card: string,
  {
    transactions,
    numbers,
  }: { readonly transactions?: readonly string[] | undefined; readonly numbers?: readonly number[] | undefined },
): Promise<CardNodeOutcome> {
  const { listed_tx: shown } = context.domain;
  const named = transactions ?? numbers?.flatMap((number) => shown[number - 1]?.transactionId ?? []);
  const payments = await listPayments(context, card);
  const wanted = { ...next, wanted: 'report_fraud' } as const;
  if (named === undefined && payments.length > 0) {
    const listed = payments.slice(0, PAYMENTS_SHOWN);
    return {
      domain: { ...wanted, listed_tx: listed, suspicious_tx: [], awaiting: 'payments' },
      view: 'payments',
      awaits: true,
    };
  }
  const picked = payments.filter(({ transactionId }) => named?.includes(transactionId));
  return { domain: { ...wanted, listed_tx: [], suspicious_tx: picked }, goto: 'verify_identity_stepup' };
}

/** Repeats the open question after a misunderstood message; after a second one, shows the other options. */
function notUnderstood({ trouble_count: before, awaiting }: LostCardDomain): CardNodeOutcome {
  const domain = { trouble_count: before + 1 };
  if (awaiting === 'confirmation') return { domain, view: 'confirm', awaits: true };
  if (before === 0 && awaiting === 'payments') return { domain, view: 'payments', awaits: true };
  if (before === 0 && awaiting === 'code') return { domain, view: 'challenge', awaits: true };
  return { domain, goto: 'render_support_options' };
}

export function findRisk(because: 'lost' | 'stolen' | undefined): 'medium' | 'high' | null {
  if (because === 'stolen') return 'high';
  return because === 'lost' ? 'medium' : null;
}

export async function raiseRisk(
  { call }: CardNodeContext,
  card: string,
  risk: 'medium' | 'high',
  before: LostCardDomain['risk_level'],
): Promise<LostCardDomain['risk_level']> {
  const result = await call('raise_card_risk', { card, risk });
  return z
    .object({ risk: z.enum(['low', 'medium', 'high']) })
    .catch({ risk: before })
    .parse(result.result).risk;
}

/** Returns the newest payments with a card that are not reported yet; none when they cannot be listed. */
async function listPayments({ call }: CardNodeContext, card: string): Promise<LostCardDomain['listed_tx']> {
  const listed = await call('list_card_transactions', { card, limit: 30 });
  if (!listed.ok) return [];
  return Payments.parse(listed.result)
    .transactions.filter(({ isReported }) => !isReported)
    .map(({ transactionId, merchant, at, amountMinor: minor, currency, isSuspicious }) => ({
      transactionId,
      merchant,
      at,
      amount: { minor, currency },
      isSuspicious,
    }));
}
