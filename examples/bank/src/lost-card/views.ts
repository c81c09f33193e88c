import { toPlainName } from '@signalbox/contracts/plain-name';
import { say } from '@signalbox/messages/say';
import type { GuidedReply, ReaderProfile } from '@signalbox/worker/guided/spec';
import { sayAmount, sayDay } from '../capabilities/cards/words.ts';
import { createFreezeButton, createReplaceButton, createButton, type LostCardDomain } from './domain.ts';

type View = (domain: LostCardDomain, reader: ReaderProfile) => GuidedReply;

/** Number of misunderstood messages in a row after which the view offers a human operator. */
const TROUBLED = 2;

const home: View = (domain, { mode }) => {
  const { card_last4: last4, card_status: status, trouble_count: trouble } = domain;
  const known = last4 === null ? '' : `${say('lost-card.status', { last4, status })}\n\n`;
  const ask = trouble >= TROUBLED ? say('lost-card.trouble') : say('lost-card.home', { isVoice: mode === 'voice' });
  return { text: `${known}${ask}`, buttons: options(domain) };
};

const frozen: View = ({ card_last4 }) => {
  const last4 = card_last4 ?? '';
  return {
    text: say('lost-card.frozenNext', { last4 }),
    buttons: [
      createReplaceButton(last4),
      createButton(say('lost-card.foundButton'), 'reset', { card: last4 }),
      createButton(say('lost-card.fraudButton'), 'report_fraud', { card: last4 }),
    ],
  };
};

const challenge: View = ({ card_last4, card_status, code_by, code_channel }) => ({
  text: say('lost-card.challenge', { by: code_by ?? 'none', channel: code_channel ?? 'other' }),
  buttons: [
    createButton(say('lost-card.codeButton', { isAgain: code_by === 'chat' }), 'verify_identity', { by: 'chat' }),
    createButton(say('lost-card.codeByOperatorButton'), 'verify_identity', { by: 'operator' }),
    createButton(say('lost-card.vouchButton'), 'ask_operator'),
    ...(card_status === 'active' && card_last4 !== null ? [createFreezeButton(card_last4)] : []),
  ],
});

const confirm: View = ({ card_last4, wanted, suspicious_tx: suspicious }) => {
  const facts = { last4: card_last4 ?? '', label: say('card.button-confirm') };
  if (wanted !== 'report_fraud' || suspicious.length === 0)
    return { text: say('lost-card.confirm', { ...facts, wanted: wanted ?? 'none' }), buttons: [] };
  const reported = suspicious.map((payment) => `- ${sayPayment(payment)}`);
  return { text: `${say('lost-card.confirmReport', facts)}\n\n${reported.join('\n')}`, buttons: [] };
};

/** The newest payments with their numbers. One press, or the numbers in words, says which of them are not the person's. */
const payments: View = ({ card_last4, listed_tx: listed }) => {
  const onCard = card_last4 === null ? {} : { card: card_last4 };
  const report = (label: string, picked: LostCardDomain['listed_tx']) =>
    createButton(label, 'report_fraud', { ...onCard, transactions: picked.map(({ transactionId }) => transactionId) });
  const suspicious = listed.filter(({ isSuspicious }) => isSuspicious);
  const lines = listed.map(
    (payment, place) => `${place + 1}. ${sayPayment(payment)}${payment.isSuspicious ? ' ⚠' : ''}`,
  );
  return {
    text: `${say('lost-card.whichPayments', { last4: card_last4 ?? '' })}\n\n${lines.join('\n')}`,
    buttons: [
      ...(suspicious.length > 1
        ? [report(say('lost-card.suspiciousButton', { count: suspicious.length }), suspicious)]
        : []),
      ...listed.map((payment, place) => report(`${place + 1}. ${toPlainName(payment.merchant)}`, [payment])),
      report(say('lost-card.unknownPaymentsButton'), []),
    ],
  };
};

/** View after an action has ended; the text above it reports the result. */
const done: View = (domain) => ({ text: say('lost-card.anythingElse'), buttons: options(domain) });

const escalated: View = ({ card_last4, card_status }) => ({
  text: say('lost-card.escalated', { status: card_last4 === null ? 'none' : card_status }),
  buttons:
    card_last4 === null
      ? []
      : [card_status === 'active' ? createFreezeButton(card_last4) : createReplaceButton(card_last4)],
});

export const VIEWS = { home, frozen, challenge, confirm, payments, done, escalated } as const;

/** Describes a payment by merchant, day and amount. */
function sayPayment({ merchant, at, amount }: LostCardDomain['suspicious_tx'][number]): string {
  const shown = amount ? [sayAmount(amount.minor, amount.currency)] : [];
  return [toPlainName(merchant), sayDay(at), ...shown].join(', ');
}

/** Returns buttons for the actions that the status of the card allows. */
function options({ card_last4: last4, card_status: status }: LostCardDomain): GuidedReply['buttons'] {
  const onCard = last4 === null ? {} : { card: last4 };
  const isFrozen = last4 !== null && status === 'frozen';
  return [
    ...(isFrozen
      ? [createReplaceButton(last4), createButton(say('lost-card.foundButton'), 'reset', onCard)]
      : [createButton(say('lost-card.lostButton'), 'freeze_card', { because: 'lost' })]),
    createButton(say('lost-card.fraudButton'), 'report_fraud'),
    createButton(say('lost-card.transactionsButton'), 'view_transactions'),
    createButton(say('lost-card.branchButton'), 'find_branch'),
  ];
}
