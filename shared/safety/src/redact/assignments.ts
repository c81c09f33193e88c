import type { SecretMatch } from './found.ts';
import { isFalsePositive } from './false-positives.ts';

/**
 * Finds secrets assigned to names: `DB_PASSWORD=…`, `"clientSecret": "…"`, `--token …`, `password is …`. Finds keywords and parses around
 * them by hand with bounded patterns, so that no text is read twice.
 */

const KEYWORD = new RegExp(
  [
    'pass(?:word|wd|phrase|wort|code)',
    'kennwort|contraseña|mot de passe|пароль|密码',
    'client-key-data|_auth(?:token)?(?![a-z])',
    '(?:api|access|auth|account|private|secret|signing|encryption|master|session|license|application|app|shared|ssh|deploy|service|storage)[_\\- ]?key',
    '(?<![a-z])(?:pwd|pass|authtoken|credentials?)(?![a-z])',
    'secret|token',
  ].join('|'),
  'gi',
);

/** Matches the suffixes of a name after its keyword. */
const TAIL =
  /(?:[_-](?:prod|production|staging|dev|test|old|new|value|base64|b64|main|default|\d{1,3})|\d{1,3}){0,2}/iy;
/** Matches the declared type between a name and its quoted value: `apiKey: string = '…'`. */
const TYPED =
  /[ \t]{0,4}:[ \t]{0,4}(?:string|str|String|&(?:'static )?str|bytes|Final(?:\[str\])?|SecretStr)[ \t]{0,12}=[ \t]{0,12}(?=["'`])/y;
const SEPARATOR = /(?:\\{0,2}["'`]|\])?[ \t]{0,12}(?:=>|:=|[:=：>]|->)[ \t]{0,20}/y;
/** Matches an assignment in a sentence: "is" in several languages. */
const IS = /\\?["'`]?[ \t]{1,3}(?:is|ist|es|est|это|to|auf)[ \t]{1,3}/iy;
/** Matches an assignment in an order: `set API_KEY of shop in staging to …`. */
const TO =
  /\\?["'`]?(?:[ \t]{1,3}(?:of|for|in|on|von|für|de|para|en|для|в)[ \t]{1,3}[\w.-]{1,60}){0,3}[ \t]{1,3}(?:to|auf|a|на|为)[ \t]{1,3}/iy;
const VARIABLE = /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/;
const BLANK = /[ \t]{1,4}/y;
const MAX_NAME_LENGTH = 60;
/** Maximum length of a value; passwords are shorter. */
const MAX_VALUE_LENGTH = 4_000;
const MAX_BARE_LENGTH = 300;

/** How a value was assigned: sentences contain many words that are no secrets. */
export type AssignmentKind = 'equals' | 'colon' | 'sentence' | 'option';

/** Finds values assigned to names of secrets. Linear time. */
export function findAssignments(text: string): readonly SecretMatch[] {
  const matches: SecretMatch[] = [];
  const bareEnd = createBareEnd(text);
  KEYWORD.lastIndex = 0;
  for (let match = KEYWORD.exec(text); match; match = KEYWORD.exec(text)) {
    const nameEnd = match.index + match[0].length;
    const value = readValue(text, nameEnd, match.index, bareEnd);
    if (!value) continue;
    const name = readName(text, match.index, nameEnd);
    const given = text.slice(value.start, Math.min(value.end, value.start + MAX_BARE_LENGTH));
    if (isFalsePositive(given, { ...value, name, text })) continue;
    matches.push({ kind: findKind(name), start: value.start, end: value.end });
    KEYWORD.lastIndex = value.end;
  }
  return matches;
}

/** True when a field of this name holds a secret, whatever its value. */
export function isSecretName(name: string): boolean {
  if (name.length > MAX_NAME_LENGTH) return false;
  KEYWORD.lastIndex = 0;
  for (let match = KEYWORD.exec(name); match; match = KEYWORD.exec(name)) {
    if (matchAt(TAIL, name, match.index + match[0].length) === name.length) return true;
  }
  return false;
}

export interface AssignedSpan {
  readonly start: number;
  readonly end: number;
  readonly manner: AssignmentKind;
  readonly isQuoted: boolean;
  /** The offset after the value and trimmed characters such as a semicolon. */
  readonly rest: number;
}

function readValue(text: string, nameEnd: number, keyword: number, bareEnd: BareEnd): AssignedSpan | null {
  const tail = matchAt(TAIL, text, nameEnd) ?? nameEnd;
  const separated = matchAt(TYPED, text, tail) ?? matchAt(SEPARATOR, text, tail);
  if (separated !== null) {
    const manner = /[=]/.test(text.slice(tail, separated)) ? 'equals' : 'colon';
    return readAt(text, separated, manner, bareEnd);
  }
  const said = matchAt(IS, text, tail);
  const ordered = matchAt(TO, text, tail);
  // A variable's value is a secret even when it is a word.
  if (ordered !== null && VARIABLE.test(readWordBefore(text, tail))) return readAt(text, ordered, 'option', bareEnd);
  if (said !== null || ordered !== null) return readAt(text, said ?? ordered ?? tail, 'sentence', bareEnd);
  // Options such as `--password hunter2` start with two hyphens.
  const blank = matchAt(BLANK, text, tail);
  if (blank !== null && readName(text, keyword, nameEnd).startsWith('--'))
    return readAt(text, blank, 'option', bareEnd);
  return null;
}

function readWordBefore(text: string, end: number): string {
  return /(?<![A-Za-z0-9_])[A-Za-z0-9_]*$/.exec(text.slice(Math.max(0, end - MAX_NAME_LENGTH), end))?.[0] ?? '';
}

function readAt(text: string, start: number, manner: AssignmentKind, bareEnd: BareEnd): AssignedSpan | null {
  const opened =
    QUOTES[text.charAt(start)] === true ? (/^\\{0,2}["'`]/.exec(text.slice(start, start + 3))?.[0] ?? '') : '';
  const begin = start + opened.length;
  if (opened !== '') {
    const line = text.slice(begin, begin + MAX_VALUE_LENGTH);
    const close = line.indexOf(opened);
    const isWhole = close >= 0 && !line.slice(0, close).includes('\n');
    if (isWhole)
      return { start: begin, end: begin + close, manner, isQuoted: true, rest: begin + close + opened.length };
  }
  const run = bareEnd(begin);
  // A longer run without spaces was made by a machine, so all of it counts as the value.
  if (run - begin > MAX_BARE_LENGTH) return { start: begin, end: run, manner, isQuoted: opened !== '', rest: run };
  const bare = text.slice(begin, run);
  // The value ends at the next query parameter, or at an escaped quote of nested text.
  const cut = bare.search(/&[\w.-]{1,40}=|\\[nrt"']|\\$/);
  const value = (cut < 0 ? bare : bare.slice(0, cut)).replace(/[.,;:!?)}\]”’“»«」』]{1,8}$/, '');
  if (value === '') return null;
  return { start: begin, end: begin + value.length, manner, isQuoted: opened !== '', rest: begin + value.length };
}

const QUOTES: Readonly<Record<string, boolean>> = { '"': true, "'": true, '`': true, '\\': true };

type BareEnd = (from: number) => number;

/** Finds the end of an unquoted value; repeated calls within one run are free. */
function createBareEnd(text: string): BareEnd {
  const stop = /[\s"'`<]/g;
  let known = { from: 0, end: -1 };
  return (from) => {
    if (from >= known.from && from <= known.end) return known.end;
    stop.lastIndex = from;
    known = { from, end: stop.exec(text)?.index ?? text.length };
    return known.end;
  };
}

/** Reads the complete name that ends with the keyword. Reads backwards by hand, because a pattern would restart at every offset. */
function readName(text: string, keyword: number, end: number): string {
  let start = keyword;
  while (start > 0 && keyword - start < MAX_NAME_LENGTH && NAME_SIGN.test(text.charAt(start - 1))) start -= 1;
  return text.slice(start, end).toLowerCase();
}

const NAME_SIGN = /[\w.-]/;

/** Patterns for secrets that are recognized by variable name only. */
const KIND_PATTERNS: readonly (readonly [RegExp, string])[] = [
  [/aws|secret.?access.?key/, 'aws-secret'],
  [/account.?key|shared.?access.?key|azure|storage.?key/, 'azure-key'],
  [/client-key-data/, 'private-key'],
  [/heroku/, 'heroku-key'],
  [/datadog|(?:^|[^a-z])dd[-_.]/, 'datadog-key'],
  [/cloudflare|(?:^|[^a-z])cf[-_.]/, 'cloudflare-key'],
  [/twilio/, 'twilio-key'],
  [/new.?relic/, 'newrelic-key'],
  [/npm|_auth/, 'npm-token'],
  [/discord/, 'discord-token'],
  [/sentry/, 'sentry-token'],
  [/pass|pwd|kennwort|contraseña|пароль|密码|credential/, 'password'],
  [/token/, 'token'],
  [/key/, 'key'],
];

function findKind(name: string): string {
  return KIND_PATTERNS.find(([pattern]) => pattern.test(name))?.[1] ?? 'secret';
}

/** Returns the end of a sticky pattern's match at an offset; null without a match. */
function matchAt(pattern: RegExp, text: string, from: number): number | null {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex : null;
}
