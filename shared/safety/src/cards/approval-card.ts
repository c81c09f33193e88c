import { asCodeBlock, escapeLine } from './canonical-card.ts';
import { fitRows, type CardLine } from './card-rows.ts';
import { listValueLines } from './essential.ts';
import { findStep, foldLines, foldSteps, listRows } from './folds.ts';
import type { Approval, ApprovalVote, EssentialValue } from '@signalbox/contracts/governance/approval';
import type { OutboundBody, RuntimeButton } from '@signalbox/contracts/conversation/envelope';
import { sayDuration } from '@signalbox/messages/duration';
import { getCurrentLanguage } from '@signalbox/messages/language';
import { say, sayAgain } from '@signalbox/messages/say';

export type CardReader = 'approver' | 'requester';

/** Returns the card's text for a running action. */
export const formatUnderWay = (): string => `⏳ ${say('card.under-way')}`;

/** Maximum lines of a card above its buttons on a 360 × 740 phone, measured on the page; the last line is the card's id. */
const MAX_LINES = 14;

/** Rows for the line of each step of a plan, beyond those of a card: nobody approves a step that they cannot read. */
const ROWS_PER_STEP = 3;

/** Rows beyond those of a card with a file, such as a diff: its reader has a document to read anyway. */
const ROWS_WITH_FILE = 24;

/** Maximum length of a summary line, in UTF-16 units: the whole sentence of a critic fits. */
const MAX_LINE_LENGTH = 700;
/** Maximum length of a name, in UTF-16 units; the id beside the name identifies the person. */
const MAX_NAME_LENGTH = 24;

/**
 * Renders an approval card. Pending: what will happen, changes, place, requester, risk and required approval, in as many lines as a phone
 * shows above the buttons. Decided: the outcome, without buttons. No value that the decision depends on is left out or cut without a
 * mark, and one press shows everything that is bound. Deterministic per approval, votes and language; the hash covers no translated text.
 */
export function renderCard(approval: Approval, votes: readonly ApprovalVote[], reader: CardReader): OutboundBody {
  const end = describeVerdict(approval, votes);
  if (approval.status !== 'pending') {
    const lines = listLines(approval).map(({ raw, as }) => as(summaryLine(raw)));
    return { text: joinLines(lines, [], `${end}\n_${approval.approvalId}_`), buttons: [] };
  }
  const { lines, block, isWhole } = layOut(approval, end);
  const named = `_${approval.approvalId}_ · \`${approval.hash.slice(0, 8)}…\``;
  return {
    text: joinLines(lines, block, named),
    buttons: [...listButtons(approval, reader), ...(isWhole ? [] : [button(approval, 'show')])],
    ...(isWhole ? {} : { bound: renderFullCard(approval) }),
  };
}

/** Renders everything that an approval is bound to and its card, uncut. */
export function renderFullCard(approval: Approval): string {
  const { card, hash, approvalId } = approval;
  const lines = listLines(approval).map(({ raw, as }) => as(summaryLine(raw)));
  const exact = card.exact === undefined ? '' : `\n\n${asCodeBlock(card.exact)}`;
  return `${joinLines(lines, [], `_${approvalId}_`)}\n\n${say('card.exact', { hash })}${exact}`;
}

/** The subject of a card as markdown. */
export function renderCardTitle(card: Approval['card']): string {
  return `**${summaryLine(toReaderCard(card).what)}**`;
}

/** The card with its sentences in the reader's language; those of older releases stay in the requester's. */
export function toReaderCard(card: Approval['card']): Approval['card'] {
  return { ...card, ...card.texts?.[getCurrentLanguage()] };
}

/** Describes a person on cards with role and id, because names can be chosen freely. */
export function describePerson({
  name,
  role,
  userKey,
}: Omit<ApprovalVote, 'role'> & { readonly role: string | null }): string {
  return `${name} (${role === null ? '' : `${role}, `}id ${userKey})`;
}

/** Escapes the result of describePerson for markdown: only the name comes from outside. */
export function escapePerson(described: string): string {
  const [, name = described, known = ''] = /^(.*) (\((?:[a-z]+, )?id [\w:-]+\))$/su.exec(described) ?? [];
  return known === '' ? summaryLine(name) : `${escapeLine(clip(name, MAX_NAME_LENGTH))} ${escapeLine(known)}`;
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

/** Returns the mark that starts the reason of an approved action that is running, failed, stopped or unknown; null otherwise. */
function outcomeMark({ status, reason }: Approval): string | null {
  if (status !== 'consumed') return null;
  return /^(?:⏳|❌|⏹|❓)/u.exec(reason ?? '')?.[0] ?? null;
}

const STATE_OF: Readonly<Record<string, string>> = { '⏳': 'running', '❌': 'failed', '⏹': 'stopped', '❓': 'unknown' };

/** Says how far an approval is: who decided, and what came of it. Pure. */
export function describeVerdict(approval: Approval, votes: readonly ApprovalVote[]): string {
  const { byRequester: isConfirmed, decidedBy, needed } = approval;
  const [voters, given] = [votes.map((vote) => escapePerson(describePerson(vote))).join(', '), votes.length];
  const reason = sayCardReason(approval);
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
      return `${done} ${clip(outcomeMark(approval) ? reason : say('card.result', { text: reason }))}`;
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
 * The reason or outcome in the reader's language, without its mark. Sentences of the catalog are translated. Of what else was said in the
 * requester's language, another reader gets the kind of the outcome; a rejection has the decider's own words, which stay.
 */
function sayCardReason(approval: Approval): string {
  const mark = outcomeMark(approval) ?? '';
  // Tool results are markdown; cards show one plain line.
  const text = (approval.reason ?? '').slice(mark.length).replaceAll('**', '').trim();
  const isOwnWords = approval.status === 'rejected' || approval.status === 'modified';
  const { language = getCurrentLanguage() } = approval.card;
  const isForeign = language !== getCurrentLanguage() && !isOwnWords;
  const said = text === '' ? '' : sayAgain(text, isOwnWords ? 'governance.reason-' : '');
  if (said !== null || !isForeign) return escapeLine(said ?? text);
  return approval.status === 'void' ? '' : say('card.outcome', { state: STATE_OF[mark] ?? 'done' });
}

/**
 * Lists the text lines of a card without its values; the tool's preview lines come first. `takes`: the required approval, added to the
 * policy rule's sentence.
 */
function listLines(approval: Approval, takes: string | null = null): readonly CardLine[] {
  const { status } = approval;
  const card = toReaderCard(approval.card);
  const words = card.words ?? '';
  const asked = {
    // The requester's name follows left-to-right text, so that a right-to-left name reorders nothing.
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
    ...(card.steps ?? []).map((raw, at) => ({ raw, as: (text: string) => `${at + 1}. ${text}` })),
    { raw: card.reach, as: (text) => item(say('card.reach', { text })) },
    { raw: words, as: (text) => item(say('card.asked', { ...asked, words: text })) },
    { raw: card.risk ? `${card.risk} ${undo}` : undo, as: item, isGrave: true },
    { raw: card.why, as: (text) => item(takes === null ? say('card.why', { text }) : `${text} ${takes}`) },
  ];
}

/** Joins preview lines, then values that the preview lines do not contain, then the other lines. */
function joinLines(lines: readonly string[], block: readonly string[], end: string): string {
  const items = lines.filter((line) => line.startsWith('- '));
  const steps = lines.filter((line) => STEP.test(line));
  const [title = '', ...change] = lines.filter((line) => !line.startsWith('- ') && !STEP.test(line));
  const values = block.length === 0 ? [] : [asCodeBlock(block.join('\n'))];
  const listed = steps.length === 0 ? [] : [steps.join('\n')];
  return [title, ...change, ...listed, ...values, items.join('\n'), end].join('\n\n');
}

/** Begins the line of a plan's step; the title and the change begin with a mark. */
const STEP = /^\d+\. /;

/**
 * Lays out a card in as many rows as a phone shows, and a plan in more. A value whose preview line was cut gets its own line. The values of
 * a plan take no rows from its steps, and those of a step none from another.
 */
function layOut(approval: Approval, takes: string) {
  const {
    exact = '',
    essential = [{ shown: listValueLines(exact).join('\n'), told: null }],
    steps,
    files,
    rows: more = 0,
  } = approval.card;
  const lines = listLines(approval, takes);
  const telling = lines.findIndex(({ as }) => as('').startsWith('- ')) + 1;
  let own = essential.filter(({ told }) => told === null);
  for (;;) {
    const block = own.flatMap(listRows);
    const rows = MAX_LINES - 1 + more + (steps ?? []).length * ROWS_PER_STEP + (files ? ROWS_WITH_FILE : 0);
    const { shown, blockRows } = fitRows(lines, { first: telling, block: steps ? 0 : block.length, rows });
    const isTold = (one: EssentialValue): boolean => {
      // What the line of one step says is not said of another step.
      const number = findStep(one);
      const step = steps && number !== '' ? `${number}. ` : '';
      const said = lines.slice(0, telling).filter(({ as }, at) => !shown[at]?.isCut && as('').startsWith(step));
      const isSaid = (value: string): boolean => said.some(({ raw }) => raw.includes(value));
      return (one.told ?? []).every((value) => !UNREADABLE_WITHIN.test(value) && isSaid(value));
    };
    const missing = essential.filter((value) => !own.includes(value) && !isTold(value));
    if (missing.length > 0) {
      own = essential.filter((value) => own.includes(value) || missing.includes(value));
      continue;
    }
    const isBound = essential.map((value) => value.shown).join('\n') === listValueLines(exact).join('\n');
    const folded = steps ? foldSteps(own) : foldLines(block, blockRows);
    const isWhole = isBound && folded.join('\n') === block.join('\n') && shown.every(({ isCut }) => !isCut);
    return { lines: shown.map(({ text }) => text()), block: folded, isWhole };
  }
}

/** Matches values that are unreadable within a sentence: empty, with outer or double blanks, or backticks, which markdown removes. */
const UNREADABLE_WITHIN = /^$|^\s|\s$|\s\s|`/;

/** Escapes a preview text to one line that cannot imitate other lines of the card. */
function summaryLine(text: string): string {
  return escapeLine(clip(text));
}

function listButtons(approval: Approval, reader: CardReader): RuntimeButton[] {
  const named = (...names: readonly (keyof typeof BUTTONS)[]): RuntimeButton[] =>
    names.map((name) => button(approval, name));
  if (approval.byRequester) return named('confirm', 'cancel');
  // In solo mode the requester may approve, after a pause.
  if (reader === 'requester') return named(...(approval.solo ? (['approve'] as const) : []), 'withdraw');
  if (approval.card.isFixed) return named('approve', 'reject', 'ask');
  // Offers no standing grant for actions that need two approvers, or whose resolved references may soon change.
  const mayGrant = approval.needed === 1 && approval.card.resolved === undefined;
  return named('approve', 'reject', 'modify', 'ask', ...(mayGrant ? (['grant'] as const) : []));
}

function button({ approvalId }: Approval, name: keyof typeof BUTTONS): RuntimeButton {
  const label = say(`card.button-${name}`);
  return { label, value: label, act: { approvalId, verb: BUTTONS[name] } };
}

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

function clip(text: string, length = MAX_LINE_LENGTH): string {
  return text.length <= length ? text : `${text.slice(0, length)}…`;
}
