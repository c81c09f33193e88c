import type { Attachment } from '@signalbox/contracts/conversation/envelope';
import { plainName } from '@signalbox/contracts/plain-name';
import type { SoFar } from '@signalbox/store/governance/actions';
import type { WaitingCard } from '@signalbox/store/conversation/lanes';
import type { AppError } from '@signalbox/contracts/errors';
import { sayError } from '@signalbox/contracts/errors';
import { sayDuration } from '@signalbox/messages/duration';
import { RECEIPT_WORDS } from '../governance/receipts.ts';

/** Every sentence that the worker itself says to people; the agent's own words are with the agent. */
export const WORDS = {
  newThread: (hadOne: boolean): string =>
    hadOne ? 'Done, I closed that conversation. What is next?' : 'This is already a new conversation. What can I do?',
  expired: (title: string | null, idleMs: number): string =>
    `_I closed our earlier conversation${title ? ` about “${title}”` : ''} after ${sayDuration(idleMs)} of silence; this is a new one._`,
  /** What was done before stands below, as receipts. */
  stopped: ({ effects, unclear }: SoFar): string =>
    effects.length === 0 ? `Stopped. ${RECEIPT_WORDS.nothing}` : ['Stopped.', ...unclear].join('\n\n'),
  /** Said above what had been written when a turn was cut short. */
  unfinished: (text: string): string => `_Unfinished:_\n\n${text}`,
  filesOnly: (files: readonly Attachment[]): string => {
    const voices = files.filter(({ kind }) => kind === 'voice').length;
    if (voices === files.length)
      return 'I cannot listen to voice messages: nothing here turns speech into text. Please write what you need.';
    const names = files.map(({ name, kind }) => name ?? `the ${kind}`);
    return `I got ${listed(names)}, but I cannot look into files: I have your words only. Please write what you need.`;
  },
  /** Below an answer while requests wait in its chat. */
  stillWaiting: (cards: readonly WaitingCard[], link: string | null): string => {
    const [first] = cards;
    const more = cards.length > 1 ? `, and ${cards.length - 1} more` : '';
    const card = link === null ? 'the card' : `[the card](${link})`;
    return `_Still waiting for a decision: ${first?.what ?? ''}${more}. Only the buttons on ${card} decide (${first?.approvalId ?? ''})._`;
  },
  /** What became of an effect that nobody saw the end of, told when it is known and its turn is long over. */
  lookedUp: (status: 'done' | 'failed' | 'unknown', say: string, exact: string): string => {
    const head = {
      done: `It was done after all. ${say}`,
      failed: say,
      unknown: say,
    }[status];
    return `${head}\n\n_I had lost sight of this:_\n${fenced(exact.slice(0, EXACT_SHOWN))}`;
  },
  /** What was done before stands below, as receipts. */
  failed: (error: AppError, { unclear }: Pick<SoFar, 'unclear'>): string =>
    [sayError(error.code, error.data), ...unclear].join('\n\n'),
} as const;

/** Enough to know an action by; the ledger has the rest. */
const EXACT_SHOWN = 600;

/** A block of code that its own content cannot end. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const marks = '`'.repeat(longest + 1);
  return `${marks}\n${text}\n${marks}`;
}

/** More names than this do not fit into a sentence. */
const NAMES_LISTED = 3;

function listed(names: readonly string[]): string {
  const shown = names.map(plainName);
  if (shown.length > NAMES_LISTED) return `${shown.length} files`;
  return shown.length > 1 ? `${shown.slice(0, -1).join(', ')} and ${shown.at(-1) ?? ''}` : (shown[0] ?? '');
}
