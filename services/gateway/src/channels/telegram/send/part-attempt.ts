import type { Log } from '@signalbox/platform/log';
import type { SendResult } from '../../channel.ts';
import { escapeUnmarkedLinks } from '../format/escape-links.ts';
import type { TelegramPart } from './encode.ts';
import { classifyFailure, isEntityProblem, findRichRefusal } from '../failure.ts';

/** Calls `call` with a part and returns the result. Never throws. */
export type SendWithFallback = (
  part: TelegramPart,
  call: (part: TelegramPart) => Promise<string>,
) => Promise<SendResult>;

/** After this many refusals in a row, the cause is the server and not the content. */
const MAX_REFUSALS = 3;

/** Sends parts in a form that the server accepts: a refused rich message becomes a simple one, unreadable entities are dropped. */
export function createFallbackSender(options: {
  readonly log: Log;
  /** False: no rich messages at all. */
  readonly richMessages: boolean;
}): SendWithFallback {
  const { log } = options;
  let refusals = 0;
  let off = !options.richMessages;

  const attemptRich: SendWithFallback = async (part, call) => {
    if (off) return { kind: 'too-rich', detail: 'not known here' };
    try {
      const messageId = await call(part);
      refusals = 0;
      return { kind: 'sent', messageId };
    } catch (error) {
      const refusal = findRichRefusal(error);
      if (refusal === null) return classifyFailure(error);
      refusals += 1;
      off ||= refusal.forGood || refusals >= MAX_REFUSALS;
      log.warn(off ? 'rich messages are refused, sent as text from now on' : 'rich message refused, sent as text', {
        detail: refusal.detail,
      });
      return { kind: 'too-rich', detail: refusal.detail };
    }
  };

  const attemptText: SendWithFallback = async (part, call) => {
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
