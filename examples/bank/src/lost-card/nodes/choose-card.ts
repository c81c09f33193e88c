import { pickCard, type CardNodeContext, type CardNodeOutcome } from '../cards.ts';
import { pickPayments, raiseRisk, findRisk } from './classify-risk.ts';

/** Takes which card the person means. A request that waits for another card is made again for this one, with its reason. */
export async function chooseCard(context: CardNodeContext): Promise<CardNodeOutcome> {
  const { given, domain: before, open } = context;
  const picked = await pickCard(context, 'choose_card', given('choose_card')?.card);
  if ('stop' in picked) return picked.stop;
  const { card, domain } = picked;
  const { wanted, reason } = before;
  const isOther = before.card_last4 !== null && before.card_last4 !== card.last4;
  if (wanted === null || before.awaiting === null || !isOther)
    return open.length > 0 ? { domain } : { domain, view: 'home' };
  const known = { ...domain, awaiting: null };
  switch (wanted) {
    case 'freeze_card': {
      const risk = findRisk(reason ?? undefined);
      const raised = risk === null ? card.risk : await raiseRisk(context, card.last4, risk, card.risk);
      return { domain: { ...known, risk_level: raised }, goto: 'freeze_card' };
    }
    case 'report_fraud': {
      const raised = await raiseRisk(context, card.last4, 'high', card.risk);
      return pickPayments(context, { ...known, risk_level: raised }, card.last4, {});
    }
    case 'order_replacement':
      return { domain: known, goto: 'issue_replacement' };
    case 'reset':
      return { domain: { ...known, awaiting: 'next' }, goto: 'confirm_action' };
  }
}
