import type { AppError } from '@signalbox/shared/errors';
import { say } from '@signalbox/shared/errors';
import { inWords } from '@signalbox/shared/time';

/** Every sentence that the worker itself says to people; the agent's own words are with the agent. */
export const WORDS = {
  newThread: (hadOne: boolean): string =>
    hadOne ? 'Done, I closed that conversation. What is next?' : 'We are at the start already. What can I do?',
  expired: (title: string | null, idleMs: number): string =>
    `_I closed our earlier conversation${title ? ` about “${title}”` : ''} after ${inWords(idleMs)} of silence; this is a new one._`,
  stopped: (done: readonly string[]): string =>
    done.length === 0
      ? 'Stopped. Nothing was changed.'
      : `Stopped. Already done before that:\n${done.map((line) => `- ${line}`).join('\n')}`,
  /** Said above what had been written when a turn was cut short. */
  unfinished: (text: string): string => `_Unfinished:_\n\n${text}`,
  failed: (error: AppError): string => say(error.code, error.data),
} as const;
