import { MESSAGE_LINK, type Attachment } from '@signalbox/contracts/conversation/envelope';
import { toPlainName } from '@signalbox/contracts/plain-name';
import type { TurnEffects } from '@signalbox/store/governance/actions';
import type { PendingCard } from '@signalbox/store/turns/lanes';
import type { AppError } from '@signalbox/contracts/errors';
import { sayDuration } from '@signalbox/messages/duration';
import { toCodeBlock } from '@signalbox/contracts/markdown';
import { say, sayError } from '@signalbox/messages/say';
import { isPicture, isSound } from '../attachments/pictures.ts';

/** The worker's own sentences to people. */
export const REPLY_TEXTS = {
  newThread: (hadOne: boolean): string => say(hadOne ? 'turn.closed' : 'turn.alreadyNew'),
  expired: (title: string | null, idleMs: number): string =>
    say('turn.expired', { isTitled: Boolean(title), title: title ?? '', time: sayDuration(idleMs) }),
  orphaned: (agent: string): string => say('turn.orphaned', { agent }),
  /** Says that the turn was stopped; receipts of earlier effects follow below. */
  stopped: ({ effects, unclear }: TurnEffects): string =>
    effects.length === 0
      ? `${say('turn.stopped')} ${say('turn.line-nothing')}`
      : [say('turn.stopped'), ...unclear].join('\n\n'),
  /** The line above an unfinished text of a turn that was stopped or failed. */
  unfinished: (text: string): string => `${say('turn.unfinished')}\n\n${text}`,
  filesOnly: (files: readonly Attachment[]): string => {
    if (files.every(isSound)) return say('turn.voicesOnly');
    if (files.every(isPicture)) return say('turn.picturesOnly');
    return say('turn.filesOnly', { files: listed(files.map(({ name, kind }) => name ?? say('turn.file', { kind }))) });
  },
  /** The line below an answer while requests wait in its chat. */
  stillWaiting: (cards: readonly PendingCard[], hasLink: boolean): string => {
    const [first] = cards;
    return say('turn.stillWaiting', {
      what: first?.what ?? '',
      id: first?.approvalId ?? '',
      more: Math.max(0, cards.length - 1),
      hasLink,
      link: MESSAGE_LINK,
    });
  },
  /** The result of an effect that was looked up after its turn. */
  lookedUp: (status: 'done' | 'failed' | 'unknown', outcome: string, exact: string): string => {
    const head = status === 'done' ? `${say('turn.doneAfterAll')} ${outcome}` : outcome;
    return `${head}\n\n${say('turn.lostSight')}\n${toCodeBlock(exact.slice(0, EXACT_SHOWN))}`;
  },
  /** Says how many calls the model answers before this one; null when it answers this one. */
  modelBusy: (before: number | null): string =>
    before === null ? say('turn.modelReady') : say('turn.modelBusy', { before }),
  /** Says that the turn failed; receipts of earlier effects follow below. */
  failed: (error: AppError, { unclear }: Pick<TurnEffects, 'unclear'>): string =>
    [sayError(error.code, error.data), ...unclear].join('\n\n'),
} as const;

/** The length of exact arguments shown: enough to recognize an action. The ledger has the rest. */
const EXACT_SHOWN = 600;

const NAMES_LISTED = 3;

function listed(names: readonly string[]): string {
  const shown = names.map(toPlainName);
  if (shown.length > NAMES_LISTED) return say('turn.files', { count: shown.length });
  if (shown.length < 2) return shown.join('');
  return say('turn.listed', { first: shown.slice(0, -1).join(', '), last: shown.at(-1) ?? '' });
}
