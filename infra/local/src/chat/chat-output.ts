import type { SeenMessage } from './chat-simulator.ts';
import type { Exchange } from './chat-session.ts';

/** Turns what a person sees into text for the terminal, or into one JSON object per line. */
export type ChatOutput = (seen: Pick<Exchange, 'messages' | 'notice'>) => string;

/** Replies as plain text with their buttons below them, a blank line after each. */
export const PLAIN_OUTPUT: ChatOutput = ({ messages, notice }) =>
  `${messages.map(describeMessage).join('')}${notice === '' ? '' : `(${notice})\n\n`}`;

/** One line per message: messageId, from, text, buttons as labels, edited. A notice is a line of its own. */
export const JSON_OUTPUT: ChatOutput = ({ messages, notice }) =>
  `${messages.map(toJsonLine).join('')}${notice === '' ? '' : `${JSON.stringify({ notice })}\n`}`;

function describeMessage({ text, buttons }: SeenMessage): string {
  const rows = (buttons ?? []).map((row) => `${row.map((button) => `[${button.text}]`).join(' ')}\n`);
  return `${text}\n${rows.join('')}\n`;
}

function toJsonLine({ messageId, from, text, buttons, editedAt }: SeenMessage): string {
  const labels = (buttons ?? []).map((row) => row.map((button) => button.text));
  return `${JSON.stringify({ messageId, from: from.name, text, buttons: labels, edited: editedAt !== null })}\n`;
}
