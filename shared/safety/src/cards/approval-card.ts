import { asCodeBlock, escapeLine } from './canonical-card.ts';
import { fitRows, type CardLine } from './card-rows.ts';
import { valueLines } from './essential.ts';
import type { Approval, ApprovalVote, EssentialValue } from '@signalbox/contracts/governance/approval';
import type { OutboundBody, RuntimeButton } from '@signalbox/contracts/conversation/envelope';
import { sayDuration } from '@signalbox/messages/duration';
import { say } from '@signalbox/messages/say';

/** Who reads the card: those who decide, or the one who asked. */
export type CardReader = 'approver' | 'requester';

/** What stands on the card of an action that a run carries on, until the run ends. */
export const underWay = (): string => `⏳ ${say('card.under-way')}`;

/** A phone of 360 × 740 shows so many lines of a card above its buttons; the last one names it. */
const LINES = 12;

/** More of a line of the summary than this is not read on a phone; the exact action stands below it. In UTF-16 units. */
const LINE_LENGTH = 400;
/** The id beside a name says who it is. In UTF-16 units. */
const NAME_LENGTH = 24;

/**
 * The card of a request. While it is open: what will happen, from what to what, where, who asks, what may go wrong and what the rule wants,
 * in as many lines as a phone shows above the buttons; afterwards what became of it, without buttons. No value that a person decides by
 * is left out or cut without a mark, and all that is bound opens with one press. The same approval and votes give the same card in each
 * language; what was hashed is in none.
 */
export function renderCard(approval: Approval, votes: readonly ApprovalVote[], reader: CardReader): OutboundBody {
  const end = verdict(approval, votes);
  if (approval.status !== 'pending') {
    const lines = linesOf(approval).map(({ raw, as }) => as(summaryLine(raw)));
    return { text: joinLines(lines, [], `${end}\n_${approval.approvalId}_`), buttons: [] };
  }
  const { lines, block, isWhole } = layOut(approval, end);
  const named = `_${approval.approvalId}_ · \`${approval.hash.slice(0, 8)}…\``;
  return {
    text: joinLines(lines, block, named),
    buttons: [...buttons(approval, reader), ...(isWhole ? [] : [button(approval, 'show')])],
    ...(isWhole ? {} : { bound: renderBound(approval) }),
  };
}

/** All that a request is bound to, and what its card says, uncut. */
export function renderBound(approval: Approval): string {
  const { card, hash, approvalId } = approval;
  const lines = linesOf(approval).map(({ raw, as }) => as(summaryLine(raw)));
  const exact = card.exact === undefined ? '' : `\n\n${asCodeBlock(card.exact)}`;
  return `${joinLines(lines, [], `_${approvalId}_`)}\n\n${say('card.exact', { hash })}${exact}`;
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
  return known === '' ? summaryLine(name) : `${escapeLine(clip(name, NAME_LENGTH))} ${escapeLine(known)}`;
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

function verdict(approval: Approval, votes: readonly ApprovalVote[]): string {
  const { byRequester: isConfirmed, decidedBy, needed } = approval;
  const [voters, given] = [votes.map((vote) => escapePerson(describePerson(vote))).join(', '), votes.length];
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

/**
 * The lines of a card, without those of its values. The first ones are what a tool says of them. `takes`: what the rule wants now, behind
 * its sentence.
 */
function linesOf(approval: Approval, takes: string | null = null): readonly CardLine[] {
  const { card, status } = approval;
  const words = card.words ?? '';
  const asked = {
    // A name that is written from right to left stands behind words that are not, so it turns nothing.
    requester: escapePerson(card.requester),
    isChanged: card.changedFrom !== null,
    from: escapeLine(card.changedFrom ?? ''),
    hasWords: words !== '',
  };
  const undo = say('card.undo', { text: card.undo });
  const item = (text: string): string => `- ${text}`;
  return [
    { raw: card.what, as: (text) => `${outcomeMark(approval) ?? MARK[status]} **${text}**` },
    ...(card.change === '' ? [] : [{ raw: card.change, as: (text: string) => `> ${text}` }]),
    { raw: card.reach, as: (text) => item(say('card.reach', { text })) },
    { raw: words, as: (text) => item(say('card.asked', { ...asked, words: text })) },
    { raw: card.risk ? `${card.risk} ${undo}` : undo, as: item, isGrave: true },
    { raw: card.why, as: (text) => item(takes === null ? say('card.why', { text }) : `${text} ${takes}`) },
  ];
}

/** Lines of the tool first, then the values that they do not say, then the others. */
function joinLines(lines: readonly string[], block: readonly string[], end: string): string {
  const items = lines.filter((line) => line.startsWith('- '));
  const [title = '', ...change] = lines.filter((line) => !line.startsWith('- '));
  const values = block.length === 0 ? [] : [asCodeBlock(block.join('\n'))];
  return [title, ...change, ...values, items.join('\n'), end].join('\n\n');
}

/** The card in as many rows as a phone shows. A value that a line of the tool was to say, and that was cut, has a line of its own. */
function layOut(approval: Approval, takes: string) {
  const { exact = '', essential = [{ shown: valueLines(exact).join('\n'), told: null }] } = approval.card;
  const lines = linesOf(approval, takes);
  const telling = lines.findIndex(({ as }) => as('').startsWith('- ')) + 1;
  let own = essential.filter(({ told }) => told === null);
  for (;;) {
    const block = own.flatMap(({ shown }) => (shown === '' ? [] : shown.split('\n')));
    const { shown, blockRows } = fitRows(lines, { first: telling - 1, block: block.length, rows: LINES - 1 });
    const said = lines.slice(0, telling).filter((_, at) => shown[at]?.isCut === false);
    const isTold = ({ told }: EssentialValue): boolean =>
      (told ?? []).every((value) => !UNREADABLE_WITHIN.test(value) && said.some(({ raw }) => raw.includes(value)));
    const missing = essential.filter((value) => !own.includes(value) && !isTold(value));
    if (missing.length > 0) {
      own = essential.filter((value) => own.includes(value) || missing.includes(value));
      continue;
    }
    const isBound = essential.map((value) => value.shown).join('\n') === valueLines(exact).join('\n');
    const isWhole = isBound && blockRows >= block.length && shown.every(({ isCut }) => !isCut);
    return { lines: shown.map(({ text }) => text()), block: foldLines(block, blockRows), isWhole };
  }
}

/** What is not seen in a line of words: nothing at all, blanks at an end or several of them, and what Markdown takes away. */
const UNREADABLE_WITHIN = /^$|^\s|\s$|\s\s|`/;

/** The beginning and the end of a block of values; a line of its own, which no value can look like, says how much is not shown. */
function foldLines(block: readonly string[], rows: number): readonly string[] {
  if (block.length <= rows) return block;
  const tail = Math.floor((rows - 1) / 2);
  const head = rows - 1 - tail;
  const folded = say('card.folded', { lines: block.length - head - tail });
  return [...block.slice(0, head), folded, ...block.slice(block.length - tail)];
}

/** What a tool says of its values, as one line: nothing in it draws a line of the card. */
function summaryLine(text: string): string {
  return escapeLine(clip(text));
}

function buttons(approval: Approval, reader: CardReader): RuntimeButton[] {
  const named = (...names: readonly (keyof typeof BUTTONS)[]): RuntimeButton[] =>
    names.map((name) => button(approval, name));
  if (approval.byRequester) return named('confirm', 'cancel');
  // Where no one else could, the requester decides, after a pause.
  if (reader === 'requester') return named(...(approval.solo ? (['approve'] as const) : []), 'withdraw');
  // What takes two people every time is not opened for half an hour by one of them; and what was looked up may be something else soon.
  const mayGrant = approval.needed === 1 && approval.card.resolved === undefined;
  return named('approve', 'reject', 'modify', 'ask', ...(mayGrant ? (['grant'] as const) : []));
}

function button({ approvalId }: Approval, name: keyof typeof BUTTONS): RuntimeButton {
  const label = say(`card.button-${name}`);
  return { label, value: label, act: { approvalId, verb: BUTTONS[name] } };
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
  show: 'show',
} as const;

function clip(text: string, length = LINE_LENGTH): string {
  return text.length <= length ? text : `${text.slice(0, length)}…`;
}
