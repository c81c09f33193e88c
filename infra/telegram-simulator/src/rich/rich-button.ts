import type { RichMessageButton, RichText } from 'grammy/types';
import { badRequest } from '../bot-api/bot-error.ts';
import { BUTTON_ACTIONS, findButtonProblem } from '../bot-api/messages/button-rules.ts';

/** What may stand in the label of a button. */
const LABEL_TYPES = ['custom_emoji', 'date_time'];

/** Checks what the types of a button inside a rich message leave open. Throws BotError 400. */
export function checkRichButton(button: RichMessageButton): void {
  checkLabel(button.text);
  const actions = BUTTON_ACTIONS.filter((action) => action in button);
  const [action] = actions;
  if (actions.length !== 1 || action === undefined)
    throw badRequest('exactly one type of a RichMessageButton must be specified');
  const problem = findButtonProblem(action, Reflect.get(button, action));
  if (problem) throw badRequest(problem);
  if (button.style === 'link' && action !== 'callback_data')
    throw badRequest('the style "link" is allowed only for callback buttons');
}

function checkLabel(text: RichText): void {
  if (text === '') throw badRequest('text of the button is empty');
  if (Array.isArray(text)) return text.forEach(checkLabel);
  if (typeof text !== 'string' && !LABEL_TYPES.includes(text.type))
    throw badRequest('a button may hold only plain text, emoji and dates');
}
