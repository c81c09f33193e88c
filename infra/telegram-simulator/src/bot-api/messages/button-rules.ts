import { findUrlProblem } from './url-rules.ts';

/** Actions of a button; a keyboard button may also start a game or payment. */
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

/** Telegram's limits: bytes of callback data, characters of copied text. */
const MAX_CALLBACK_DATA_BYTES = 64;
const MAX_COPY_LENGTH = 256;

/** Returns Telegram's message for an invalid button action; null when valid. */
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
