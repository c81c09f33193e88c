import type { SecretMatch } from './found.ts';
import { isFalsePositive } from './false-positives.ts';

/*
 * Names that are given a secret: `DB_PASSWORD=…`, `"clientSecret": "…"`, `--token …`, `password is …`. A keyword is looked for,
 * and what stands around it is read by hand, each piece with a bound, so that no text is read twice.
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

/** What may stand between the keyword and the end of the name. */
const TAIL =
  /(?:[_-](?:prod|production|staging|dev|test|old|new|value|base64|b64|main|default|\d{1,3})|\d{1,3}){0,2}/iy;
const SEPARATOR = /(?:\\{0,2}["'`]|\])?[ \t]{0,12}(?:=>|:=|[:=：>]|->)[ \t]{0,20}/y;
/** In a sentence. */
const IS = /\\?["'`]?[ \t]{1,3}(?:is|ist|es|est|это|to|auf)[ \t]{1,3}/iy;
/** In an order: `set API_KEY of shop in staging to …`. */
const TO =
  /\\?["'`]?(?:[ \t]{1,3}(?:of|for|in|on|von|für|de|para|en|для|в)[ \t]{1,3}[\w.-]{1,60}){0,3}[ \t]{1,3}(?:to|auf|a|на|为)[ \t]{1,3}/iy;
/** A name as variables have it. */
const VARIABLE = /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/;
const BLANK = /[ \t]{1,4}/y;
const NAME_BEFORE = 60;
/** Longer values are cut off here: what follows is no password any more. */
const MAX_VALUE_LENGTH = 4_000;
const MAX_BARE_LENGTH = 300;

/** How a value was given: in a sentence people write many words that are no secret. */
export type Manner = 'equals' | 'colon' | 'sentence' | 'option';

/** Finds values that are given to names of secrets. Linear in the length of the text. */
export function findAssignments(text: string): readonly SecretMatch[] {
  const found: SecretMatch[] = [];
  const bareEnd = createBareEnd(text);
  KEYWORD.lastIndex = 0;
  for (let match = KEYWORD.exec(text); match; match = KEYWORD.exec(text)) {
    const nameEnd = match.index + match[0].length;
    const value = readValue(text, nameEnd, match.index, bareEnd);
    if (!value) continue;
    const name = readName(text, match.index, nameEnd);
    const given = text.slice(value.start, Math.min(value.end, value.start + MAX_BARE_LENGTH));
    if (isFalsePositive(given, { ...value, name, text })) continue;
    found.push({ kind: kindOf(name), start: value.start, end: value.end });
    KEYWORD.lastIndex = value.end;
  }
  return found;
}

/** Whether a field of this name holds a secret, whatever its value looks like. */
export function isSecretName(name: string): boolean {
  if (name.length > NAME_BEFORE) return false;
  KEYWORD.lastIndex = 0;
  for (let match = KEYWORD.exec(name); match; match = KEYWORD.exec(name)) {
    if (stick(TAIL, name, match.index + match[0].length) === name.length) return true;
  }
  return false;
}

export interface Value {
  readonly start: number;
  readonly end: number;
  readonly manner: Manner;
  readonly isQuoted: boolean;
  /** Behind the value and what was cut off it, such as a semicolon. */
  readonly rest: number;
}

function readValue(text: string, nameEnd: number, keyword: number, bareEnd: BareEnd): Value | null {
  const tail = stick(TAIL, text, nameEnd) ?? nameEnd;
  const separated = stick(SEPARATOR, text, tail);
  if (separated !== null) {
    const manner = /[=]/.test(text.slice(tail, separated)) ? 'equals' : 'colon';
    return readAt(text, separated, manner, bareEnd);
  }
  const said = stick(IS, text, tail);
  const ordered = stick(TO, text, tail);
  // What a variable of that name is set to is its value, even when it is a word.
  if (ordered !== null && VARIABLE.test(wordBefore(text, tail))) return readAt(text, ordered, 'option', bareEnd);
  if (said !== null || ordered !== null) return readAt(text, said ?? ordered ?? tail, 'sentence', bareEnd);
  // `--password hunter2`: the name begins with two hyphens.
  const blank = stick(BLANK, text, tail);
  if (blank !== null && readName(text, keyword, nameEnd).startsWith('--'))
    return readAt(text, blank, 'option', bareEnd);
  return null;
}

/** The name that ends here, as it was written. */
function wordBefore(text: string, end: number): string {
  return /(?<![A-Za-z0-9_])[A-Za-z0-9_]*$/.exec(text.slice(Math.max(0, end - NAME_BEFORE), end))?.[0] ?? '';
}

function readAt(text: string, start: number, manner: Manner, bareEnd: BareEnd): Value | null {
  const opened =
    OPENED[text.charAt(start)] === true ? (/^\\{0,2}["'`]/.exec(text.slice(start, start + 3))?.[0] ?? '') : '';
  const begin = start + opened.length;
  if (opened !== '') {
    const line = text.slice(begin, begin + MAX_VALUE_LENGTH);
    const close = line.indexOf(opened);
    const isWhole = close >= 0 && !line.slice(0, close).includes('\n');
    if (isWhole)
      return { start: begin, end: begin + close, manner, isQuoted: true, rest: begin + close + opened.length };
  }
  const run = bareEnd(begin);
  // Only machines write so much without a space: it is taken as it is.
  if (run - begin > MAX_BARE_LENGTH) return { start: begin, end: run, manner, isQuoted: opened !== '', rest: run };
  const bare = text.slice(begin, run);
  // A query goes on with the next parameter; an escaped quote ends a text within a text.
  const cut = bare.search(/&[\w.-]{1,40}=|\\[nrt"']|\\$/);
  const value = (cut < 0 ? bare : bare.slice(0, cut)).replace(/[.,;:!?)}\]]{1,8}$/, '');
  if (value === '') return null;
  return { start: begin, end: begin + value.length, manner, isQuoted: opened !== '', rest: begin + value.length };
}

const OPENED: Readonly<Record<string, boolean>> = { '"': true, "'": true, '`': true, '\\': true };

type BareEnd = (from: number) => number;

/** Where the next sign stands that ends a value without quotes; asking again within one run costs nothing. */
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

/** The whole name that the keyword is the end of. Read backwards by hand: a pattern would begin anew at every place. */
function readName(text: string, keyword: number, end: number): string {
  let start = keyword;
  while (start > 0 && keyword - start < NAME_BEFORE && NAME_SIGN.test(text.charAt(start - 1))) start -= 1;
  return text.slice(start, end).toLowerCase();
}

const NAME_SIGN = /[\w.-]/;

/** Names of kinds that are known only by the name of the variable. */
const NAMED: readonly (readonly [RegExp, string])[] = [
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

function kindOf(name: string): string {
  return NAMED.find(([pattern]) => pattern.test(name))?.[1] ?? 'secret';
}

/** Where a sticky pattern ends that begins here; null when it does not. */
function stick(pattern: RegExp, text: string, from: number): number | null {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex : null;
}
