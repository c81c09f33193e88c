import type { SeenMessage } from './chat-simulator.ts';
import type { Exchange } from './chat-session.ts';

/** Formats messages for the terminal, as text or JSON lines. */
export type ChatOutput = (seen: Pick<Exchange, 'messages' | 'notice'>) => string;

/** Plain text replies with their buttons, separated by blank lines. */
export const PLAIN_OUTPUT: ChatOutput = ({ messages, notice }) =>
  `${messages.map(describeMessage).join('')}${notice === '' ? '' : `(${notice})\n\n`}`;

/** One JSON line per message (messageId, from, text, button labels, edited) and per notice. */
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
