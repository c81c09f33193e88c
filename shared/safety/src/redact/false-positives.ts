/** A value assigned to a secret's name, with its context. */
export interface AssignedValue {
  readonly name: string;
  readonly manner: 'equals' | 'colon' | 'sentence' | 'option';
  readonly isQuoted: boolean;
  readonly start: number;
  readonly end: number;
  /** The offset after the value's trimmed characters. */
  readonly rest: number;
  readonly text: string;
}

const MIN_SECRET_LENGTH = 4;
/** Words after names of secrets that are no secrets: values of flags and types, states, placeholders. */
const WORDS = new Set(
  `true false null none nil undefined yes no string str text number int integer bool boolean bytes object any unknown void never
  required optional missing invalid expired wrong incorrect empty default disabled enabled hidden redacted masked secret password
  passwd token pass pwd user username changeme change-me example placeholder sample dummy fake test todo tbd here below above
  include omit same-origin bearer basic digest oauth oauth2 jwt stdin stdout prompt file env environment vault ssh-rsa
  ssh-ed25519 unset set reset changed rotated revoked valid correct accepted rejected denied failed passed skipped ok okay
  error your-password your_password your-token your_token your-api-key your_api_key yourpassword my-secret mypassword`.split(
    /\s+/,
  ),
);

const REFERENCE =
  /^(?:\$|\{\{|\{[a-z_]|<|%[sd({]|\[|!|#\{|@|secret:|\*+$|x{3,}$|\.{2,}|•+|…|-{2,}|https?:\/\/[^:@]*$|arn:|file:|env:|vault:|your[-_ ]|op:\/\/|sm:\/\/|ref\+)/i;
const PATH = /^(?:~|\.{0,2}|[A-Za-z]:)[\\/][\w.\\/-]*$/;
/** Matches code that reads the value from elsewhere. */
const CODE =
  /^(?:[A-Za-z_$][\w$]*(?:\.|\?\.|::|->))*(?:[A-Za-z_$][\w$]*)[([]|^(?:self|this|process|config|cfg|conf|env|opts?|options|args|req|request|res|response|os|settings|ctx|context|params|props|data|body|user|secrets|vars|var|local|module|input|each|values|state|creds|credentials|account|auth|session)(?:\.|\?\.|\[)|^(?:await|new|function|async|return|lambda|get[A-Z]\w*|const|let)\b/;
const OWN_ID = /^[a-z]{2,6}_(?:[0-9a-z]{20}|[0-9a-f]{32})(?:$|[:.])/;
/** Matches handles of secrets without their prefix. */
const HANDLE = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/;

/** True when a value assigned to a secret's name is no secret: a placeholder, a reference, a type, a word of a sentence. */
export function isFalsePositive(value: string, assigned: AssignedValue): boolean {
  const { name, manner, isQuoted } = assigned;
  if (value.length < MIN_SECRET_LENGTH || WORDS.has(value.toLowerCase())) return true;
  if (REFERENCE.test(value) || OWN_ID.test(value) || isMasked(value)) return true;
  if (isHandle(value, assigned)) return true;
  if (name.endsWith('pwd') && PATH.test(value)) return true;
  if (/key$|credentials?$|token$/.test(name) && PATH.test(value)) return true;
  // The value is a count, such as tokens of a model or passed tests.
  if (/(?:token|pass|credentials?)$/.test(name) && /^[\d.,]{1,7}[kKmM]?$/.test(value)) return true;
  if (manner === 'sentence') return !isUnlikeWord(value);
  if (isQuoted) return false;
  if (CODE.test(value)) return true;
  const isWord = /^[\p{L}_-]+$/u.test(value);
  if (!isWord) return false;
  if (manner === 'option') return false;
  if (isElement(assigned) || (manner === 'equals' && !hasBlanks(assigned))) return false;
  // A word after a colon belongs to a sentence, unless it is alone on its line as in a settings file.
  return !isAlone(assigned);
}

function isMasked(value: string): boolean {
  return /^(.)\1+$/u.test(value) || value.includes('[secret]') || value.includes('***');
}

function isHandle(value: string, { text, start, name }: AssignedValue): boolean {
  return name.endsWith('secret') && text.slice(start - 7, start).toLowerCase() === 'secret:' && HANDLE.test(value);
}

/** True for values that are no word of a language: mixed digits and letters, or unusual signs. */
function isUnlikeWord(value: string): boolean {
  if (value.length < 5) return false;
  return (
    (/\d/.test(value) && /\p{L}/u.test(value)) || /[\p{L}\d][!@#$%^&*+=~|?][\p{L}\d]|[!@#$%^&*+=~]{2}/u.test(value)
  );
}

/** True for `name = word`, the style of code. */
function hasBlanks({ text, start }: AssignedValue): boolean {
  return /[=>][ \t]+["'`]?$/.test(text.slice(Math.max(0, start - 24), start));
}

/** True for `<name>word</name>`. */
function isElement({ text, start, end }: AssignedValue): boolean {
  return text.charAt(start - 1) === '>' && text.startsWith('</', end);
}

/** Maximum length of a line's start before a value. */
const MAX_LINE_START = 80;

/** True for `  name: word` alone on its line. */
function isAlone({ text, start, end, rest, name }: AssignedValue): boolean {
  const near = text.slice(Math.max(0, start - MAX_LINE_START), start);
  const before = near.slice(near.lastIndexOf('\n') + 1);
  const after = text.slice(end, end + 3);
  if (rest !== end || !/^\s*(?:\n|$)/.test(after)) return false;
  return before.length < MAX_LINE_START && before.trim().replace(/^-\s+/, '').toLowerCase().startsWith(name);
}
