import { say, sayError } from '@signalbox/messages/say';
import type { ToolCallResult } from '@signalbox/governance/calls/call';
import { isWaiting } from '@signalbox/contracts/governance/waiting';
import { pickCard, replyWithText, type CardNodeContext, type CardNodeOutcome } from '../cards.ts';
import { AGENT_ID, createFreezeButton, createReplaceButton, type LostCardDomain, type CardRequest } from '../domain.ts';

/** Error codes that mean that the person must first prove their identity. */
const UNPROVEN: readonly string[] = ['POLICY_DENIED', 'STEP_UP_NEEDED'];

/** Proposes to freeze the card. This needs no proof of identity, because it only protects. */
export async function freezeCard(context: CardNodeContext): Promise<CardNodeOutcome> {
  const { card_last4: card } = context.domain;
  return afterCall(await context.call('freeze_card', { card }), 'freeze_card', {});
}

/** Proposes a new card that replaces a frozen one. While the card is not frozen, the wish stays open. */
export async function issueReplacement(context: CardNodeContext): Promise<CardNodeOutcome> {
  const picked = await pickCard(context, 'order_replacement', context.given('order_replacement')?.card);
  if ('stop' in picked) return picked.stop;
  const { card, domain } = picked;
  const { last4 } = card;
  if (card.status !== 'frozen') {
    const text = say('lost-card.freezeFirst', { last4 });
    return { domain, replies: [{ text, buttons: [createFreezeButton(last4)] }], open: 'keep' };
  }
  if (mustProve(card, domain)) return prove('order_replacement', domain);
  return afterCall(await context.call('request_replacement', { card: last4 }), 'order_replacement', domain);
}

export async function proposeUnfreeze(context: CardNodeContext): Promise<CardNodeOutcome> {
  const picked = await pickCard(context, 'reset', context.given('reset')?.card);
  if ('stop' in picked) return picked.stop;
  const { card, domain } = picked;
  const { last4 } = card;
  if (card.status !== 'frozen')
    return { ...replyWithText(sayError('CARD_NOT_FROZEN', { last4 })), domain, view: 'home' };
  if (card.isReported) {
    const text = sayError('CARD_REPORTED', { last4 });
    return { domain, replies: [{ text, buttons: [createReplaceButton(last4)] }] };
  }
  if (mustProve(card, domain)) return prove('reset', domain);
  return afterCall(await context.call('unfreeze_card', { card: last4 }), 'reset', domain);
}

/** Proposes to report the suspicious payments. */
export async function proposeFraudReport(context: CardNodeContext): Promise<CardNodeOutcome> {
  const { card_last4: card, suspicious_tx: suspicious } = context.domain;
  const transactions = suspicious.map(({ transactionId }) => transactionId);
  return afterCall(await context.call('report_fraud', { card, transactions }), 'report_fraud', {});
}

function mustProve({ risk }: { readonly risk: string }, { identity_verified }: Partial<LostCardDomain>): boolean {
  return risk === 'high' && identity_verified !== true;
}

function prove(wanted: CardRequest, domain: Partial<LostCardDomain>): CardNodeOutcome {
  return { domain: { ...domain, wanted, awaiting: null }, goto: 'verify_identity_stepup' };
}

function afterCall(result: ToolCallResult, wanted: CardRequest, domain: Partial<LostCardDomain>): CardNodeOutcome {
  const audit = [
    { action: `${AGENT_ID}.${wanted}`, outcome: result.code ?? (isWaiting(result) ? 'proposed' : 'done') },
  ];
  if (result.ok) return { domain: { ...domain, wanted, awaiting: 'proposed' }, audit, goto: 'confirm_action' };
  if (result.code !== null && UNPROVEN.includes(result.code) && wanted !== 'freeze_card')
    return { ...prove(wanted, { ...domain, identity_verified: false }), audit };
  return {
    ...replyWithText(result.say),
    domain: { ...domain, wanted: null, awaiting: null },
    audit,
    errors: { [wanted]: result.code ?? '' },
  };
}
