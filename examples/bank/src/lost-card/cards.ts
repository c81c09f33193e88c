import { z } from 'zod';
import { say, sayError } from '@signalbox/messages/say';
import type { NodeContext, NodeOutcome } from '@signalbox/worker/guided/spec';
import { createButton, type ACTIONS, type LostCardAction, type LostCardDomain } from './domain.ts';

export type CardNodeContext = NodeContext<LostCardDomain, typeof ACTIONS>;
export type CardNodeOutcome = NodeOutcome<LostCardDomain>;

const Listed = z.object({
  cards: z.array(
    z.object({
      last4: z.string(),
      kind: z.enum(['debit', 'credit']),
      status: z.enum(['ordered', 'active', 'frozen']),
      risk: z.enum(['low', 'medium', 'high']),
      arrivesOn: z.string().nullable(),
      isReported: z.boolean(),
    }),
  ),
  cancelled: z.array(z.object({ last4: z.string(), successor: z.string().nullable() })),
  isVerified: z.boolean(),
});
export type ListedCard = z.infer<typeof Listed>['cards'][number];

/** Lists the person's cards; `refused` is the sentence for the person when the cards cannot be listed. */
export async function listCards({ call }: CardNodeContext) {
  const listed = await call('list_cards', {});
  return listed.ok ? { ...Listed.parse(listed.result), refused: null } : { refused: listed.say };
}

/**
 * Picks the card for an action, with the fields of the state to change. `stop`: the reply when no card can be picked; the action stays open
 * until the person has said which card they mean.
 */
export async function pickCard(
  context: CardNodeContext,
  action: LostCardAction,
  given: string | undefined,
): Promise<
  { readonly card: ListedCard; readonly domain: Partial<LostCardDomain> } | { readonly stop: CardNodeOutcome }
> {
  const listed = await listCards(context);
  if (listed.refused !== null) return { stop: replyWithText(listed.refused) };
  const usable = listed.cards.filter(({ status }) => status !== 'ordered');
  const cards = usable.map(({ last4 }) => last4);
  const domain = { cards, identity_verified: listed.isVerified };
  if (usable.length === 0) return { stop: { ...replyWithText(sayError('CARD_NONE', {})), domain } };
  const named = given ?? context.domain.card_last4;
  const card = usable.find(({ last4 }) => last4 === named) ?? (usable.length === 1 && !given ? usable[0] : undefined);
  if (card) return { card, domain: { ...domain, ...toCardFields(card) } };
  const isKept = given === undefined;
  const successor = listed.cancelled.find(({ last4 }) => last4 === given)?.successor ?? null;
  const meant = usable.filter(({ last4 }) => last4 === successor);
  const buttons = (meant.length > 0 ? meant : usable).map(({ last4, kind }) =>
    isKept
      ? createButton(say('lost-card.cardButton', { last4, kind }), 'choose_card', { card: last4 })
      : createButton(say('lost-card.cardButton', { last4, kind }), action, { ...dataOf(context, action), card: last4 }),
  );
  const text = [...(isKept ? [] : [sayUnusable(given, listed)]), say('lost-card.whichCard')].join(' ');
  const asked = { domain, replies: [{ text, buttons }], awaits: true };
  return { stop: isKept ? { ...asked, open: 'keep' } : asked };
}

/** Says why the card that the person named cannot be taken, and which one stands in its place. */
function sayUnusable(last4: string, { cards, cancelled }: Omit<z.infer<typeof Listed>, 'isVerified'>): string {
  if (cards.some((card) => card.last4 === last4)) return say('lost-card.cardOnItsWay', { last4 });
  const old = cancelled.find((card) => card.last4 === last4);
  if (!old) return say('lost-card.cardUnknown', { last4 });
  const next = cards.find((card) => card.last4 === old.successor);
  return say('lost-card.cardReplaced', { last4, next: next?.last4 ?? '', status: next?.status ?? 'none' });
}

export function toCardFields({ last4, status, risk }: ListedCard): Partial<LostCardDomain> {
  return { card_last4: last4, card_status: status === 'frozen' ? 'frozen' : 'active', risk_level: risk };
}

export function replyWithText(text: string): CardNodeOutcome {
  return { replies: [{ text, buttons: [] }] };
}

/** Returns the data of an action, so that the action can be repeated with another card. */
function dataOf({ given }: CardNodeContext, action: LostCardAction): Readonly<Record<string, unknown>> {
  const because = action === 'freeze_card' ? given('freeze_card')?.because : undefined;
  return because === undefined ? {} : { because };
}
