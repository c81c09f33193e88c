import { z } from 'zod';
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
  if (freeze)
    return { domain: { ...next, wanted: 'freeze_card', reason: freeze.because ?? null }, goto: 'freeze_card' };
  const suspicious = await findSuspicious(context, card.last4, report?.transactions ?? null);
  return { domain: { ...next, wanted: 'report_fraud', suspicious_tx: suspicious }, goto: 'verify_identity_stepup' };
}

/** Repeats the open question after a misunderstood message; after a second one, shows the other options. */
function notUnderstood({ trouble_count: before, awaiting }: LostCardDomain): CardNodeOutcome {
  const domain = { trouble_count: before + 1 };
  if (awaiting === 'confirmation') return { domain, view: 'confirm', awaits: true };
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

/** Returns the payments to report: the payments that the person named, or else the suspicious ones. */
export async function findSuspicious(
  { call }: CardNodeContext,
  card: string,
  named: readonly string[] | null,
): Promise<LostCardDomain['suspicious_tx']> {
  const listed = await call('list_card_transactions', { card, limit: 30 });
  if (!listed.ok) return [];
  return Payments.parse(listed.result)
    .transactions.filter(
      ({ transactionId, isSuspicious, isReported }) =>
        !isReported && (named ? named.includes(transactionId) : isSuspicious),
    )
    .map(({ transactionId, merchant, at, amountMinor: minor, currency }) => ({
      transactionId,
      merchant,
      at,
      amount: { minor, currency },
    }));
}
