import { say } from '@signalbox/messages/say';
import type { CardNodeContext, CardNodeOutcome } from '../cards.ts';
import { pickCard, replyWithText } from '../cards.ts';
import { createButton, createFreezeButton } from '../domain.ts';

/** Shows payments, branches, or the card with its possible actions. */
export async function renderSupportOptions(context: CardNodeContext): Promise<CardNodeOutcome> {
  const { given, call } = context;
  const branch = given('find_branch');
  if (branch) {
    const found = await call('find_branches', branch);
    return {
      ...replyWithText(found.say),
      domain: { branch_requested: true, trouble_count: 0 },
      asksAgain: isAsking(context),
    };
  }
  const about = given('ask_about');
  if (about) return answer(context, about.topic);
  const look = given('view_transactions');
  const picked = await pickCard(context, 'view_transactions', look?.card);
  if (!look) return { domain: 'stop' in picked ? (picked.stop.domain ?? {}) : picked.domain, view: 'home' };
  if ('stop' in picked) return picked.stop;
  const { last4, status } = picked.card;
  const listed = await call('list_card_transactions', { card: last4 });
  const buttons = [
    createButton(say('lost-card.fraudButton'), 'report_fraud', { card: last4 }),
    ...(status === 'active' ? [createFreezeButton(last4)] : []),
  ];
  return {
    domain: { ...picked.domain, trouble_count: 0 },
    replies: [{ text: listed.say, buttons }],
  };
}

/** Answers a question about what is going on; the open question is asked again below the answer. */
function answer(context: CardNodeContext, topic: 'address' | 'state'): CardNodeOutcome {
  const { card_last4: last4, card_status: status, awaiting } = context.domain;
  const state = [
    ...(last4 === null ? [] : [say('lost-card.status', { last4, status })]),
    say('lost-card.aboutState', { awaiting: awaiting ?? (context.open.length > 0 ? 'card' : 'none') }),
  ];
  const said = replyWithText(topic === 'address' ? say('lost-card.aboutAddress') : state.join(' '));
  return isAsking(context) ? { ...said, asksAgain: true } : { ...said, view: 'done' };
}

function isAsking({ domain, open }: CardNodeContext): boolean {
  return domain.awaiting !== null || open.length > 0;
}
