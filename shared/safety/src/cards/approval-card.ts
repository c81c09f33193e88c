import { asCodeBlock, escapeLine, escapeText } from './canonical-card.ts';
import type { Approval, ApprovalVote } from '@signalbox/contracts/governance/approval';
import type { OutboundBody, RuntimeButton } from '@signalbox/contracts/conversation/envelope';
import { sayDuration } from '@signalbox/messages/duration';

/** Who reads the card: those who decide, or the one who asked. */
export type CardReader = 'approver' | 'requester';

/** What stands on the card of an action that a run carries on, until the run ends. */
export const UNDER_WAY = '⏳ Under way; this card will say how it ends.';

/** More of a summary than this is not read on a phone; the exact action stands below it. */
const CHANGE_LENGTH = 1_200;

/**
 * The card of a request: while it is open what will change, what it reaches, how it is undone and why a person is asked; afterwards
 * what became of it, without buttons. The same approval and votes give the same card.
 */
export function renderCard(approval: Approval, votes: readonly ApprovalVote[], reader: CardReader): OutboundBody {
  const { card, status, needed } = approval;
  const voters = votes.map((vote) => escapePerson(describePerson(vote))).join(', ');
  const lines = [
    `${outcomeMark(approval) ?? MARK[status]} ${cardTitle(card)}`,
    '',
    // A name that is written from right to left stands behind words that are not, so it turns nothing.
    `Asked for by ${escapePerson(card.requester)}${card.changedFrom === null ? '' : `, changed from ${escapeLine(card.changedFrom)}`}.`,
    ...(card.change === '' ? [] : ['', asQuote(clip(card.change))]),
    '',
    `- Reaches: ${escapeLine(card.reach)}`,
    `- Undo: ${escapeLine(card.undo)}`,
    `- Why you are asked: ${escapeLine(card.why)}`,
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
  return `**${escapeLine(what)}**`;
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
  return known === '' ? escapeLine(name) : `${escapeLine(name)} ${escapeLine(known)}`;
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
  const { reason, decidedBy } = approval;
  // What tools say of their results is Markdown; here it is one plain line.
  const because = reason === null || reason === '' ? '' : `: ${escapeLine(reason.replaceAll('**', ''))}`;
  switch (approval.status) {
    case 'pending': {
      const left = sayDuration(Math.max(60_000, approval.expiresAt.getTime() - approval.requestedAt.getTime()));
      if (approval.byRequester) return `Waits for a tap of the person who asked, within ${left}.`;
      const people = needed === 1 ? 'one person' : `${needed} people`;
      return given > 0
        ? `Approved by ${voters}: ${given} of ${needed}.`
        : `Takes ${people} (${approval.role} or above), within ${left}.`;
    }
    case 'approved':
      if (approval.byRequester) return `Confirmed by ${voters}. It runs now.`;
      return `Approved by ${voters}. It runs now.`;
    case 'consumed': {
      const done = approval.byRequester ? 'Confirmed' : 'Approved';
      if (because === '') return `${done} by ${voters}.`;
      const mark = outcomeMark(approval);
      return `${done} by ${voters}. ${mark ? clip(escapeLine((reason ?? '').slice(mark.length).trim())) : clip(`Result${because}`)}`;
    }
    case 'rejected':
      return `Rejected by ${escapePerson(decidedBy ?? 'somebody')}${because}`;
    case 'modified':
      return `Changed by ${escapeLine(reason ?? 'somebody')}; a new request takes its place.`;
    case 'expired':
      return 'No one decided in time. Nothing was changed.';
    case 'void':
      return `No longer valid${because}. Nothing was changed.`;
  }
}

/** The exact action, and the hash that the approval is bound to. */
function exactLines(exact: string, hash: string): readonly string[] {
  return [`Exactly this runs, SHA-256 \`${hash}\`:`, '', asCodeBlock(exact)];
}

/** The summary of a tool, line by line within a quotation: nothing in it can draw a line of the card. */
function asQuote(text: string): string {
  return text
    .split('\n')
    .map((line) => `> ${escapeText(line)}`)
    .join('\n');
}

function buttons(approval: Approval, reader: CardReader): RuntimeButton[] {
  const { approvalId, needed } = approval;
  const button = (label: string, verb: NonNullable<RuntimeButton['act']>['verb']): RuntimeButton => ({
    label,
    value: label,
    act: { approvalId, verb },
  });
  if (approval.byRequester) return [button('Confirm', 'approve'), button('Cancel', 'withdraw')];
  if (reader === 'requester')
    // Where no one else could, the requester decides, after a pause.
    return [...(approval.solo ? [button('Approve', 'approve')] : []), button('Withdraw', 'withdraw')];
  return [
    button('Approve', 'approve'),
    button('Reject', 'reject'),
    button('Modify', 'modify'),
    button('Ask', 'ask'),
    // What takes two people every time is not opened for half an hour by one of them; and what was looked up may be something else soon.
    ...(needed === 1 && approval.card.resolved === undefined
      ? [button('Approve, and the like for 30 min', 'grant')]
      : []),
  ];
}

function clip(text: string): string {
  return text.length <= CHANGE_LENGTH ? text : `${text.slice(0, CHANGE_LENGTH)}…`;
}
