import { badRequest } from '../bot-api/bot-error.ts';
import { BUTTON_ACTIONS, findButtonProblem } from '../bot-api/messages/button-rules.ts';

const STYLES = ['danger', 'success', 'primary', 'link'];
/** What may stand in the label of a button. */
const LABEL_TYPES = ['custom_emoji', 'date_time'];

/** Checks a button inside a rich message and keeps what Telegram keeps of it, but for its text. Throws BotError 400. */
export function readRichButton(button: Readonly<Record<string, unknown>>): Record<string, unknown> {
  if (button['text'] === undefined) throw badRequest(`can't parse RichMessageButton: Can't find field "text"`);
  checkLabel(button['text']);
  const actions = BUTTON_ACTIONS.filter((action) => button[action] !== undefined);
  const action = actions[0];
  if (actions.length !== 1 || action === undefined) {
    throw badRequest('exactly one type of a RichMessageButton must be specified');
  }
  const problem = findButtonProblem(action, button[action]);
  if (problem) throw badRequest(problem);
  const style = button['style'];
  if (style === undefined) return { [action]: button[action] };
  if (!STYLES.includes(String(style))) throw badRequest('invalid button style specified');
  if (style === 'link' && action !== 'callback_data') {
    throw badRequest('the style "link" is allowed only for callback buttons');
  }
  return { [action]: button[action], style };
}

function checkLabel(text: unknown): void {
  if (typeof text === 'string') {
    if (text === '') throw badRequest('text of the button is empty');
    return;
  }
  if (Array.isArray(text)) return text.forEach(checkLabel);
  const type: unknown = typeof text === 'object' && text !== null ? Reflect.get(text, 'type') : undefined;
  if (!LABEL_TYPES.includes(String(type))) throw badRequest('a button may hold only plain text, emoji and dates');
}
