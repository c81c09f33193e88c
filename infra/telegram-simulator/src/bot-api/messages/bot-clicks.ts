import { z } from 'zod';
import { badRequest } from '../../bot-error.ts';
import { flag, parseParameters, type Parameters } from '../bot-parameters.ts';
import type { Store } from '../../store/store.ts';

/** Telegram's own limits: clients wait for an answer this long, and a toast holds this much. */
const CLICK_EXPIRES_MS = 15 * 60_000;
const MAX_ANSWER_LENGTH = 200;
const AnswerCallbackQuery = z.object({
  callback_query_id: z.coerce.string().default(''),
  text: z.string().max(MAX_ANSWER_LENGTH, 'MESSAGE_TOO_LONG').default(''),
  show_alert: flag.default(false),
});

/** answerCallbackQuery: ends the waiting of who clicked, with a toast or an alert. */
export function answerCallbackQuery(store: Store, parameters: Parameters): true {
  const given = parseParameters(AnswerCallbackQuery, parameters);
  const click = store.state.clicks.get(given.callback_query_id);
  if (!click || Date.now() - click.atMs > CLICK_EXPIRES_MS) {
    throw badRequest('query is too old and response timeout expired or query ID is invalid');
  }
  // The client shows the first answer; Telegram accepts later ones and nobody sees them.
  if (click.answer) return true;
  const answer = { text: given.text, showAlert: given.show_alert };
  store.commit({ kind: 'click', click: { ...click, answer } });
  store.announce({ kind: 'answer', callbackQueryId: click.id, personId: click.personId, ...answer });
  return true;
}
