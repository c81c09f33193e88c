/*
 * A person is their phone number in digits with country code: `whatsapp-<digits>`, with the only chat
 * `whatsapp:<digits>`. There are no groups.
 */

const NUMBER = /^\d{5,20}$/;

/** True for a phone number as WhatsApp writes it. */
export function isNumber(digits: string): boolean {
  return NUMBER.test(digits);
}

export function toUserKey(digits: string): string {
  return `whatsapp-${digits}`;
}

export function toChatKey(digits: string): string {
  return `whatsapp:${digits}`;
}

/** The phone number of a chat. */
export function toNumber(chatKey: string): string {
  return chatKey.replace(/^whatsapp:/, '').split('/', 1)[0] ?? '';
}
