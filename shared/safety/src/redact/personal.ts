/** Longest local part and host of an e-mail address. */
const MAX_LOCAL_LENGTH = 64;
const MAX_HOST_LENGTH = 253;

const LOCAL = /(?<![\w.%+-])[\w.%+-]+$/;
const HOST = /^[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){0,8}\.[A-Za-z]{2,24}(?![\w-])/;
/** Accounts without a person, such as `git@host`. */
const NO_PERSON = /(?:^|[^\w.%+-])(?:git|hg|noreply|no-reply)$/;

const PHONE =
  /(?<![\w+.:/-])(?:\+\d{1,3}[ .()-]{0,2}(?:\d[ .()-]{0,2}){6,12}\d|\(\d{3}\) ?\d{3}[ -]\d{4}|\d{3}-\d{3}-\d{4})(?![\w-])/g;

/**
 * Replaces e-mail addresses and telephone numbers by `[email]` and `[phone]`, for logs. Numbers need a plus or the North American form;
 * other digits are ids. Idempotent.
 */
export function redactPersonal(text: string): string {
  const withoutEmails = text.includes('@') ? replaceEmails(text) : text;
  return withoutEmails.replace(PHONE, '[phone]');
}

function replaceEmails(text: string): string {
  const pieces: string[] = [];
  let from = 0;
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
    const before = text.slice(Math.max(from, at - MAX_LOCAL_LENGTH), at);
    const local = LOCAL.exec(before)?.[0] ?? '';
    const host = local === '' ? '' : (HOST.exec(text.slice(at + 1, at + 1 + MAX_HOST_LENGTH))?.[0] ?? '');
    if (host === '' || NO_PERSON.test(before)) continue;
    pieces.push(text.slice(from, at - local.length), '[email]');
    from = at + 1 + host.length;
  }
  return from === 0 ? text : pieces.join('') + text.slice(from);
}
