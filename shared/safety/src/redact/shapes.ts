import type { SecretMatch } from './found.ts';

/** A pattern for secrets that are recognized by form or context. Group 1, if present, is the secret. */
interface Shape {
  readonly kind: string;
  /** A lowercase text that every match contains, for a quick check. */
  readonly hint: string;
  /** The minimum length of a text that can contain a match. */
  readonly min: number;
  readonly pattern: RegExp;
  readonly check?: (secret: string, text: string, place: number) => boolean;
}

/* Repetitions in these patterns are bounded and starts use look-behind, so that matching takes linear time for any text. */
const SHAPES: readonly Shape[] = [
  { kind: 'jwt', hint: 'eyj', min: 20, pattern: /(?<![\w-])eyJ[\w-]{8,8000}\.[\w-]{8,16000}\.[\w-]{0,1000}/dg },
  { kind: 'telegram-token', hint: ':aa', min: 40, pattern: /(?<![\w-])\d{6,12}:AA[\w-]{32,36}(?![\w-])/dg },
  {
    kind: 'discord-token',
    hint: '.',
    min: 57,
    pattern: /(?<![\w.-])[MNO][\w-]{23,28}\.[\w-]{6}\.[\w-]{27,40}(?![\w.-])/dg,
    check: (secret) => /\d/.test(secret) && /[A-Z]/.test(secret) && /[a-z]/.test(secret),
  },
  {
    kind: 'terraform-token',
    hint: '.atlasv1.',
    min: 60,
    pattern: /(?<![A-Za-z0-9])[A-Za-z0-9]{14}\.atlasv1\.[\w-]{50,100}/dg,
  },
  { kind: 'mailgun-key', hint: '-', min: 50, pattern: /(?<![\w-])[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}(?![\w-])/dg },
  { kind: 'mailchimp-key', hint: '-us', min: 36, pattern: /(?<![\w-])[0-9a-f]{32}-us\d{1,2}(?![\w-])/dg },
  { kind: 'newrelic-key', hint: 'nral', min: 40, pattern: /(?<![\w-])[0-9a-f]{36}NRAL(?![\w-])/dg },
  { kind: 'azure-secret', hint: 'q~', min: 35, pattern: /(?<![\w~.-])[\w~.-]{3}\dQ~[\w~.-]{30,36}(?![\w~.-])/dg },
  {
    kind: 'azure-key',
    hint: '==',
    min: 88,
    pattern: /(?<![\w+/=-])[A-Za-z0-9+/]{86}==(?![\w+/=-])/dg,
    check: (secret) => /\d/.test(secret) && /[A-Z]/.test(secret) && /[a-z]/.test(secret),
  },
  { kind: 'azure-sas', hint: 'sig=', min: 34, pattern: /(?<![\w])sig=([\w%+/=-]{30,200})/dgi },
  {
    kind: 'aws-secret',
    hint: 'a',
    min: 40,
    pattern: /(?<![\w+/=-])[A-Za-z0-9+/]{40}(?![\w+/=-])/dg,
    check: isAwsSecret,
  },
  {
    kind: 'bearer-token',
    hint: 'bearer',
    min: 20,
    pattern: /(?<![\w])bearer[ \t]{1,4}([\w.~+/=-]{16,8000})/dgi,
    check: hasDigit,
  },
  {
    kind: 'auth-header',
    hint: 'authorization',
    min: 19,
    pattern:
      /authorization\\?["']?[ \t]{0,4}[:=][ \t]{0,4}\\?["']?(?:(?:bearer|basic|token|digest|apikey|bot)[ \t]{1,4})?([^\s"'\\,]{6,8000})/dgi,
    check: (secret) => !/^(?:bearer|basic|token|digest|apikey|bot|\$|<|\{|\[|secret:)/i.test(secret),
  },
  {
    kind: 'netrc-password',
    hint: 'machine',
    min: 20,
    pattern: /(?<!\w)machine\s{1,8}\S{1,120}\s{1,8}(?:login\s{1,8}\S{1,120}\s{1,8})?password\s{1,8}(\S{3,200})/dgi,
    check: (secret) => !/^(?:\$|<|\[secret\]|secret:)/.test(secret),
  },
  {
    kind: 'password',
    hint: 'curl',
    min: 12,
    pattern: /(?<!\w)curl\s[^\n|;]{0,120}?(?:-u|--user)[ =]{0,2}["']?[\w.@-]{1,80}:([^\s"']{3,200})/dg,
    check: (secret) => !/^(?:\$|<|\[secret\]|secret:)/.test(secret),
  },
  {
    kind: 'password',
    hint: 'sshpass',
    min: 12,
    pattern: /sshpass[ \t]{1,4}-p[ \t]{0,4}["']?([^\s"']{3,200})/dg,
    check: (secret) => !/^(?:\$|<|\[secret\]|secret:)/.test(secret),
  },
];

/** Finds secrets by their form. Linear time. */
export function findShapedSecrets(text: string): readonly SecretMatch[] {
  const matches: SecretMatch[] = [];
  const lower = text.toLowerCase();
  for (const { kind, hint, min, pattern, check } of SHAPES) {
    if (text.length < min || !lower.includes(hint)) continue;
    for (const match of text.matchAll(pattern)) {
      const [start, end] = match.indices?.[1] ?? match.indices?.[0] ?? [0, 0];
      if (check && !check(text.slice(start, end), text, start)) continue;
      matches.push({ kind, start, end });
    }
  }
  return [...matches, ...findKeyBlocks(text), ...findUrlPasswords(text)];
}

/** Characters around a candidate in which a word about AWS must appear. */
const AWS_CONTEXT_LENGTH = 300;

/** True for an AWS secret key: forty base64 characters near a word about AWS. Hexadecimal commits are excluded. */
function isAwsSecret(secret: string, text: string, place: number): boolean {
  if (!/\d/.test(secret) || !/[A-Z]/.test(secret) || !/[a-z]/.test(secret)) return false;
  return /A[KS]IA|aws|secret/i.test(text.slice(Math.max(0, place - AWS_CONTEXT_LENGTH), place + AWS_CONTEXT_LENGTH));
}

function hasDigit(secret: string): boolean {
  return /\d/.test(secret);
}

const BEGIN = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|PuTTY-User-Key-File-\d:/g;

/** Finds private keys in PEM form, from first to last line; without a last line, to the end of the text. */
function findKeyBlocks(text: string): readonly SecretMatch[] {
  const matches: SecretMatch[] = [];
  BEGIN.lastIndex = 0;
  for (let match = BEGIN.exec(text); match; match = BEGIN.exec(text)) {
    const end = match[0].startsWith('PuTTY') ? findPuttyEnd(text, match.index) : findBlockEnd(text, match.index);
    matches.push({ kind: 'private-key', start: match.index, end });
    BEGIN.lastIndex = end;
  }
  return matches;
}

function findBlockEnd(text: string, from: number): number {
  const last = text.indexOf('-----END ', from);
  const close = last < 0 ? -1 : text.indexOf('-----', last + 9);
  return close < 0 ? text.length : close + 5;
}

function findPuttyEnd(text: string, from: number): number {
  const last = text.indexOf('Private-MAC:', from);
  const close = last < 0 ? -1 : text.indexOf('\n', last);
  return close < 0 ? text.length : close;
}

/** Maximum length of user name and password in a URL. */
const MAX_USER_INFO = 400;
const PLACEHOLDER = /^(?:password|passwd|pass|pwd|secret|token|user|p|x+|\*+|\.+|<.*|\$.*|\{.*|\[.*|%s|secret:.*)$/i;

/** Finds passwords in URLs such as `postgres://user:password@host`: only the password, and no placeholders. */
function findUrlPasswords(text: string): readonly SecretMatch[] {
  const matches: SecretMatch[] = [];
  for (let at = text.indexOf('://'); at >= 0; at = text.indexOf('://', at + 3)) {
    const part = text.slice(at + 3, at + 3 + MAX_USER_INFO);
    // The host starts after the last @ before a slash: passwords may contain an unencoded @.
    const authority = /^[^\s"'`<>/\\]*/.exec(part)?.[0] ?? '';
    const host = authority.lastIndexOf('@');
    const colon = authority.indexOf(':');
    if (host < 0 || colon < 0 || colon > host) continue;
    const password = authority.slice(colon + 1, host);
    if (password === '' || PLACEHOLDER.test(password)) continue;
    matches.push({ kind: 'url-password', start: at + 3 + colon + 1, end: at + 3 + host });
  }
  return matches;
}
