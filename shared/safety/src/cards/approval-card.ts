import { asCodeBlock, escapeLine } from './canonical-card.ts';
import type { Approval, ApprovalVote } from '@signalbox/contracts/governance/approval';
import type { OutboundBody, RuntimeButton } from '@signalbox/contracts/conversation/envelope';
import { sayDuration } from '@signalbox/messages/duration';
import { say } from '@signalbox/messages/say';

/** Who reads the card: those who decide, or the one who asked. */
export type CardReader = 'approver' | 'requester';

/** What stands on the card of an action that a run carries on, until the run ends. */
export const underWay = (): string => `⏳ ${say('card.under-way')}`;

/** More of a line of the summary than this is not read on a phone; the exact action stands below it. In UTF-16 units. */
const LINE_LENGTH = 400;

/**
 * The card of a request: while it is open what will change, what it reaches, how it is undone and why a person is asked; afterwards
 * what became of it, without buttons. The same approval and votes give the same card in each language; what was hashed is in none.
 */
export function renderCard(approval: Approval, votes: readonly ApprovalVote[], reader: CardReader): OutboundBody {
  const { card, status, needed } = approval;
  const voters = votes.map((vote) => escapePerson(describePerson(vote))).join(', ');
  const lines = [
    `${outcomeMark(approval) ?? MARK[status]} ${cardTitle(card)}`,
    '',
    // A name that is written from right to left stands behind words that are not, so it turns nothing.
    say('card.asked', {
      requester: escapePerson(card.requester),
      isChanged: card.changedFrom !== null,
      from: escapeLine(card.changedFrom ?? ''),
    }),
    ...(card.change === '' ? [] : ['', `> ${summaryLine(card.change)}`]),
    '',
    `- ${say('card.reach', { text: summaryLine(card.reach) })}`,
    `- ${say('card.undo', { text: summaryLine(card.undo) })}`,
    `- ${say('card.why', { text: escapeLine(card.why) })}`,
    '',
    verdict(approval, voters, votes.length, needed),
    `_${approval.approvalId}_`,
    // A settled card says what became of it; what was decided about is read before.
    ...(status === 'pending' && card.exact !== undefined ? ['', ...exactLines(card.exact, approval.hash)] : []),
  ];
  return { text: lines.join('\n'), buttons: status === 'pending' ? buttons(approval, reader) : [] };
}

/** What a card is about, as Markdown for a sentence. */
export function cardTitle({ what }: Pick<Approval['card'], 'what'>): string {
  return `**${summaryLine(what)}**`;
}

/** A person as cards name them: anyone may call themselves anything, so the role and the id stand beside the name. */
export function describePerson({
  name,
  role,
  userKey,
}: Omit<ApprovalVote, 'role'> & { readonly role: string | null }): string {
  return `${name} (${role === null ? '' : `${role}, `}id ${userKey})`;
}

/** That as Markdown. The name is escaped by itself: what surrounds it is ours. */
export function escapePerson(described: string): string {
  const [, name = described, known = ''] = /^(.*) (\((?:[a-z]+, )?id [\w:-]+\))$/su.exec(described) ?? [];
  return known === '' ? summaryLine(name) : `${summaryLine(name)} ${escapeLine(known)}`;
}

const MARK: Readonly<Record<Approval['status'], string>> = {
  pending: '⏳',
  approved: '✅',
  consumed: '✅',
  rejected: '⛔',
  modified: '✏️',
  expired: '⌛',
  void: '🚫',
};

/** What came of it when that is not, or not yet, what was approved: such a line begins with its mark. */
function outcomeMark({ status, reason }: Approval): string | null {
  if (status !== 'consumed') return null;
  return /^(?:⏳|❌|⏹|❓)/u.exec(reason ?? '')?.[0] ?? null;
}

function verdict(approval: Approval, voters: string, given: number, needed: number): string {
  const { byRequester: isConfirmed, decidedBy } = approval;
  // What tools say of their results is Markdown; here it is one plain line.
  const reason = escapeLine((approval.reason ?? '').replaceAll('**', ''));
  const because = { hasReason: reason !== '', reason };
  switch (approval.status) {
    case 'pending': {
      const left = sayDuration(Math.max(60_000, approval.expiresAt.getTime() - approval.requestedAt.getTime()));
      if (isConfirmed) return say('card.waits-requester', { left });
      if (given > 0) return say('card.waits-more', { voters, given, needed });
      return say('card.waits', { needed, role: approval.role, left });
    }
    case 'approved':
      return say('card.runs', { isConfirmed, voters });
    case 'consumed': {
      const done = say('card.ran', { isConfirmed, voters });
      if (reason === '') return done;
      const mark = outcomeMark(approval);
      const what = mark ? reason.slice(mark.length).trim() : say('card.result', { text: reason });
      return `${done} ${clip(what)}`;
    }
    case 'rejected':
      return say('card.rejected', { person: escapePerson(decidedBy ?? say('card.somebody')), ...because });
    case 'modified':
      return say('card.modified', { person: because.hasReason ? reason : say('card.somebody') });
    case 'expired':
      return say('card.expired');
    case 'void':
      return say('card.void', because);
  }
}

/** The exact action, and the hash that the approval is bound to. */
function exactLines(exact: string, hash: string): readonly string[] {
  return [say('card.exact', { hash }), '', asCodeBlock(exact)];
}

/** What a tool says of its values, as one line: nothing in it draws a line of the card. */
function summaryLine(text: string): string {
  return escapeLine(clip(text));
}

function buttons(approval: Approval, reader: CardReader): RuntimeButton[] {
  const { approvalId, needed } = approval;
  const button = (name: keyof typeof BUTTONS): RuntimeButton => {
    const label = say(`card.button-${name}`);
    return { label, value: label, act: { approvalId, verb: BUTTONS[name] } };
  };
  if (approval.byRequester) return [button('confirm'), button('cancel')];
  if (reader === 'requester')
    // Where no one else could, the requester decides, after a pause.
    return [...(approval.solo ? [button('approve')] : []), button('withdraw')];
  return [
    button('approve'),
    button('reject'),
    button('modify'),
    button('ask'),
    // What takes two people every time is not opened for half an hour by one of them; and what was looked up may be something else soon.
    ...(needed === 1 && approval.card.resolved === undefined ? [button('grant')] : []),
  ];
}

/** What a press of each button of a card does. */
const BUTTONS = {
  confirm: 'approve',
  cancel: 'withdraw',
  approve: 'approve',
  withdraw: 'withdraw',
  reject: 'reject',
  modify: 'modify',
  ask: 'ask',
  grant: 'grant',
} as const;

function clip(text: string): string {
  return text.length <= LINE_LENGTH ? text : `${text.slice(0, LINE_LENGTH)}…`;
}
