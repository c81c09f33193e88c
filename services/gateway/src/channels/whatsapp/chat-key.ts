/*
 * A person is their phone number, as digits with the country: `whatsapp-<digits>`. Their chat with us is `whatsapp:<digits>`; there
 * are no others, because a business is in no group.
 */

const NUMBER = /^\d{5,20}$/;

/** Whether it is a phone number as WhatsApp writes them. */
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
