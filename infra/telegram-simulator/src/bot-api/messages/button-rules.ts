import { findUrlProblem } from './url-rules.ts';

/** What a button can do; a keyboard's may also start a game or a payment. */
export const BUTTON_ACTIONS = [
  'url',
  'callback_data',
  'web_app',
  'login_url',
  'switch_inline_query',
  'switch_inline_query_current_chat',
  'switch_inline_query_chosen_chat',
  'copy_text',
  'disabled',
];

/** Telegram's own limits: bytes of callback data, characters of a text to copy. */
const MAX_CALLBACK_DATA_BYTES = 64;
const MAX_COPY_LENGTH = 256;

/** Says in Telegram's words what is wrong with the action of a button, of a keyboard or of a rich message; or null. */
export function findButtonProblem(action: string, value: unknown): string | null {
  if (action === 'callback_data') {
    const isFine = typeof value === 'string' && value !== '' && Buffer.byteLength(value) <= MAX_CALLBACK_DATA_BYTES;
    return isFine ? null : 'BUTTON_DATA_INVALID';
  }
  if (action === 'copy_text') {
    const text: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, 'text') : undefined;
    const isFine = typeof text === 'string' && text !== '' && text.length <= MAX_COPY_LENGTH;
    return isFine ? null : 'BUTTON_COPY_TEXT_INVALID';
  }
  if (action !== 'url') return null;
  const problem = findUrlProblem(String(value));
  return problem && `inline keyboard button URL '${String(value)}' is invalid: ${problem}`;
}
