import { say } from '@signalbox/messages/say';
import type { CardNodeContext, CardNodeOutcome, ListedCard } from '../cards.ts';
import { toCardFields, listCards, replyWithText } from '../cards.ts';
import { AGENT_ID, type LostCardDomain } from '../domain.ts';
import { proposeFraudReport, proposeUnfreeze } from './changes.ts';

/** Waits for the confirmation on the platform's approval card; a message does not confirm. The bank's database proves the result. */
export async function confirmAction(context: CardNodeContext): Promise<CardNodeOutcome> {
  const { domain, heard } = context;
  if (domain.awaiting === 'proposed')
    return { domain: { awaiting: 'confirmation', trouble_count: 0 }, view: 'confirm', awaits: true };
  if (domain.awaiting === 'next')
    return domain.wanted === 'reset' ? proposeUnfreeze(context) : proposeFraudReport(context);
  return heard.kind === 'news' ? takeNews(context, heard.say) : proposeUnfreeze(context);
}

async function takeNews(context: CardNodeContext, news: string): Promise<CardNodeOutcome> {
  const { domain } = context;
  const listed = await listCards(context);
  if (listed.refused !== null) return replyWithText(news);
  const { cards, isVerified } = listed;
  const base = {
    cards: cards.filter(({ status }) => status !== 'ordered').map(({ last4 }) => last4),
    identity_verified: isVerified,
  };
  const card = cards.find(({ last4 }) => last4 === domain.card_last4);
  const known: Partial<LostCardDomain> = { ...base, ...(card ? toCardFields(card) : {}) };
  const said = replyWithText(news);
  // After the proof of identity, the earlier request continues.
  if (isVerified && !domain.identity_verified && domain.wanted !== null && domain.awaiting !== 'confirmation')
    return { ...said, domain: { ...known, awaiting: null }, goto: 'verify_identity_stepup' };
  if (domain.awaiting === 'code') return { ...said, domain: known, view: 'challenge', awaits: true };
  if (domain.awaiting === 'confirmation') return settled(context, said, known, { card, cards });
  return { ...said, domain: { ...known, awaiting: null }, view: 'home' };
}

/** Handles the result of a confirmed request. */
async function settled(
  { domain, call, open }: CardNodeContext,
  said: CardNodeOutcome,
  known: Partial<LostCardDomain>,
  { card, cards }: { readonly card: ListedCard | undefined; readonly cards: readonly ListedCard[] },
): Promise<CardNodeOutcome> {
  const over = { ...known, wanted: null, awaiting: null, trouble_count: 0 };
  const audit = [{ action: `${AGENT_ID}.${domain.wanted ?? ''}`, outcome: 'settled' }];
  switch (domain.wanted) {
    case 'freeze_card':
      if (card?.status !== 'frozen') break;
      return { ...said, audit, domain: { ...over, freeze_confirmed: true }, view: 'frozen' };
    case 'order_replacement': {
      const ordered = cards.find(({ status }) => status === 'ordered');
      if (card || !ordered) break;
      const replaced = {
        card_status: 'cancelled' as const,
        replacement_requested: true,
        replacement_eta: ordered.arrivesOn,
      };
      return { ...said, audit, domain: { ...over, ...replaced }, view: 'done' };
    }
    case 'reset':
      if (card?.status !== 'active') break;
      return { ...said, audit, domain: { ...over, freeze_confirmed: false }, view: 'done' };
    case 'report_fraud': {
      if (!card?.isReported) break;
      const asked = await call('escalate_to_operator', { about: 'fraud' });
      const domainNow = { ...over, suspicious_tx: [], escalation_required: true, awaiting: 'takeover' as const };
      if (!asked.ok)
        return {
          replies: [...(said.replies ?? []), { text: asked.say, buttons: [] }],
          audit,
          domain: { ...domainNow, awaiting: null },
          view: 'home',
        };
      return { ...said, audit, domain: domainNow, view: 'escalated' };
    }
    case null:
  }
  return { ...withDropped(said, open), domain: over, view: 'done', open: 'drop' };
}

/** Says which further requests are not begun, because the one before them came to nothing. */
function withDropped({ replies = [] }: CardNodeOutcome, open: readonly string[]): CardNodeOutcome {
  const labels = open.map(labelOf).filter((label) => label !== null);
  if (labels.length === 0) return { replies };
  return { replies: [...replies, { text: say('lost-card.notBegun', { list: labels.join(', ') }), buttons: [] }] };
}

function labelOf(action: string): string | null {
  switch (action) {
    case 'report_fraud':
      return say('lost-card.fraudButton');
    case 'order_replacement':
      return say('lost-card.newCard');
    case 'reset':
      return say('lost-card.foundButton');
    case 'freeze_card':
      return say('lost-card.lostButton');
    default:
      return null;
  }
}
