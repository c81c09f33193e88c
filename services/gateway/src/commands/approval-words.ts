import { cardTitle, escapePerson } from '@signalbox/safety/cards/approval-card';
import { escapeLine } from '@signalbox/safety/cards/canonical-card';
import type { Approval } from '@signalbox/contracts/governance/approval';

/** What the gateway says around approval cards. */
export const PROMPT_TOAST = {
  reject: 'Why? Choose a reason, or write one.',
  modify: 'What should be different?',
  ask: 'What do you want to know?',
} as const;

/** Reasons that one tap gives; all else is written. */
export const REASONS = ['Not now', 'Too risky', 'Wrong target', 'No longer needed'] as const;

export const PASSED_ON = 'Passed on.';

/** Asks a person for the words that their press needs. */
export function prompt(
  verb: 'reject' | 'modify' | 'ask',
  { card, approvalId }: Approval,
  name: string,
  args: Readonly<Record<string, unknown>>,
): string {
  const about = cardTitle(card);
  switch (verb) {
    case 'reject':
      return `${name}, why do you reject ${about}? Choose, or answer this message with your reason.\n_${approvalId}_`;
    case 'modify': {
      const now = Object.entries(args).map(([key, value]) => `- ${escapeLine(key)}: ${escapeLine(inShort(value))}`);
      return `${name}, answer this message with what should be different in ${about}, such as \`name: value\`. It is decided anew then. Now it is:\n${now.join('\n')}\n_${approvalId}_`;
    }
    case 'ask':
      return `${name}, answer this message with your question about ${about}; I pass it on to ${escapePerson(card.requester)}.\n_${approvalId}_`;
  }
}

export function question({ card, approvalId }: Approval, name: string, text: string): string {
  return `${name} asks about ${cardTitle(card)}:\n> ${quoted(text)}\n\nAnswer this message, and I pass it on. _${approvalId}_`;
}

export function answer({ card, approvalId }: Approval, name: string, text: string): string {
  return `${name} answers about ${cardTitle(card)}:\n> ${quoted(text)}\n\n_${approvalId}_`;
}

/** Enough to know a value by; the card has all of it. */
function inShort(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length <= 200 ? text : `${text.slice(0, 200)}…`;
}

function quoted(text: string): string {
  return text.slice(0, 1_000).replaceAll('\n', '\n> ');
}
