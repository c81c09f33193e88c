import { z } from 'zod';
import { createBadRequest } from '../../bot-error.ts';
import { flag, parseParameters, type Parameters } from '../bot-parameters.ts';
import type { Store } from '../../store/store.ts';

/** Telegram's limits for the time to answer a click and the length of a toast. */
const CLICK_EXPIRES_MS = 15 * 60_000;
const MAX_ANSWER_LENGTH = 200;
const AnswerCallbackQuery = z.object({
  callback_query_id: z.coerce.string().default(''),
  text: z.string().max(MAX_ANSWER_LENGTH, 'MESSAGE_TOO_LONG').default(''),
  show_alert: flag.default(false),
});

/** answerCallbackQuery: ends the waiting state of a click, with a toast or an alert. */
export function answerCallbackQuery(store: Store, parameters: Parameters): true {
  const given = parseParameters(AnswerCallbackQuery, parameters);
  const click = store.state.clicks.get(given.callback_query_id);
  if (!click || Date.now() - click.atMs > CLICK_EXPIRES_MS) {
    throw createBadRequest('query is too old and response timeout expired or query ID is invalid');
  }
  // Telegram accepts later answers, but the client shows only the first.
  if (click.answer) return true;
  const answer = { text: given.text, showAlert: given.show_alert };
  store.commit({ kind: 'click', click: { ...click, answer } });
  store.announce({ kind: 'answer', callbackQueryId: click.id, personId: click.personId, ...answer });
  return true;
}
