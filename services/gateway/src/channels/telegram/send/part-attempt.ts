import type { Log } from '@signalbox/platform/log';
import type { SendResult } from '../../channel.ts';
import { escapeUnmarkedLinks } from '../format/escape-links.ts';
import type { TelegramPart } from './encode.ts';
import { classifyFailure, isEntityProblem, findRichRefusal } from '../failure.ts';

/** Calls with a part and says what became of it. Never throws. */
export type AttemptPart = (part: TelegramPart, call: (part: TelegramPart) => Promise<string>) => Promise<SendResult>;

/** So many rich messages refused in a row are not about what stands in them. */
const REFUSALS_UNTIL_OFF = 3;

/**
 * Sends in the form that goes through. A server that does not know rich messages is not asked again as long as this process
 * lives; one that does not like a certain message gets that one in the simple form. Entities that it cannot read are left out.
 */
export function createAttempts(options: {
  readonly log: Log;
  /** Whether rich messages are sent at all. */
  readonly richMessages: boolean;
}): AttemptPart {
  const { log } = options;
  let refusals = 0;
  let off = !options.richMessages;

  const attemptRich: AttemptPart = async (part, call) => {
    if (off) return { kind: 'too-rich', detail: 'not known here' };
    try {
      const messageId = await call(part);
      refusals = 0;
      return { kind: 'sent', messageId };
    } catch (error) {
      const refusal = findRichRefusal(error);
      if (refusal === null) return classifyFailure(error);
      refusals += 1;
      off ||= refusal.forGood || refusals >= REFUSALS_UNTIL_OFF;
      log.warn(off ? 'rich messages are refused, sent as text from now on' : 'rich message refused, sent as text', {
        detail: refusal.detail,
      });
      return { kind: 'too-rich', detail: refusal.detail };
    }
  };

  const attemptText: AttemptPart = async (part, call) => {
    const attempt = async (given: TelegramPart): Promise<SendResult> => {
      try {
        return { kind: 'sent', messageId: await call(given) };
      } catch (error) {
        return classifyFailure(error);
      }
    };
    const sent = await attempt(part);
    if (part.form === 'rich' || part.entities.length === 0 || !isEntityProblem(sent)) return sent;
    log.warn('entities refused, sent as plain text', { detail: 'detail' in sent ? sent.detail : null });
    return attempt({ ...part, text: escapeUnmarkedLinks(part.text), entities: [] });
  };

  return (part, call) => (part.form === 'rich' ? attemptRich : attemptText)(part, call);
}
