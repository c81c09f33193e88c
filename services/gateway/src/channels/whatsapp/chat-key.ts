/* A person is a phone number in digits with country code: user `whatsapp-<digits>`, only chat `whatsapp:<digits>`, no groups. */

const NUMBER = /^\d{5,20}$/;

export function isPhoneNumber(digits: string): boolean {
  return NUMBER.test(digits);
}

export function toUserKey(digits: string): string {
  return `whatsapp-${digits}`;
}

export function toChatKey(digits: string): string {
  return `whatsapp:${digits}`;
}

export function toPhoneNumber(chatKey: string): string {
  return chatKey.replace(/^whatsapp:/, '').split('/', 1)[0] ?? '';
}
