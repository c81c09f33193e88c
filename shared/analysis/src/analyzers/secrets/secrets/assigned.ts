import type { SecretMatch } from '@signalbox/safety/redact/found';
import { isExample } from '../../kinds-of-files.ts';
import { isMadeOfWords, isPlaceholder, isRandom } from './placeholders.ts';

export interface FoundSecret extends SecretMatch {
  readonly rule: 'private-key' | 'credential' | 'url-password' | 'hardcoded' | 'env-value';
  /** What identifies the secret. `form`: its format, which only one issuer uses. `name`: only the variable name. */
  readonly certainty: 'form' | 'name';
  /** Name of the variable or key; empty when unknown. */
  readonly name: string;
  /** Normalized value, from which the identity is computed. */
  readonly value: string;
}

const MAX_KEY_LENGTH = 400;
const ENV_FILE = /(?:^|\/)(?:\.env(?:\.[\w-]+)*|[\w-]+\.env)$/;
const SAMPLE_ENV_FILE =
  /[._-](?:example|sample|template|tmpl|dist|default|defaults|schema|test|tests|testing|ci|e2e)(?:$|\.)/i;
/** Settings files, whose values need no quotes. */
const SETTINGS =
  /\.(?:ya?ml|toml|ini|cfg|conf|config|properties|tfvars|env|plist)$|(?:^|\/)\.(?:npmrc|netrc|pypirc|pgpass|my\.cnf|s3cfg)$/i;
/** Translations and markup, in which plain words follow names such as `password`. */
const TRANSLATION =
  /(?:^|\/)(?:i18n|l10n|locales?|lang|langs|languages|translations?|intl|messages)(?:\/|[-_.])|\.(?:po|pot|xlf|arb|resx|strings|svg|html?|vue\.html|css|scss|less|lock|sum)$/i;
const CONNECTION =
  /(?:^|[;"'])\s{0,4}(?:server|data source|host|address|addr|endpoint|accountname|user id|uid|username|user)\s{0,4}=/i;

/** Matches the name before a value, and the type that may stand between them. */
const NAME =
  /([\w.-]{1,60})(?:\\?["'`\]])?\s{0,12}(?::\s{0,4}&?[\w'[\] ]{1,20}\s{0,12}=|=>|:=|[:=]|->)?\s{0,12}\\?["'`]?$/;
/** Matches a call that signs or encrypts, up to its key. */
const KEYED_CALL =
  /\b(?:createHmac|createCipheriv|createDecipheriv)\(\s{0,4}["'`][\w-]{1,20}["'`]\s{0,4},\s{0,4}["'`]|\bhmac\.new\(\s{0,4}b?["']/g;

/** Finds literal keys of calls that sign or encrypt: they have no name. Linear time. */
export function findLiteralKeys(text: string): readonly SecretMatch[] {
  return [...text.matchAll(KEYED_CALL)].flatMap((call) => {
    const start = call.index + call[0].length;
    const length = text.slice(start, start + MAX_KEY_LENGTH).indexOf(call[0].at(-1) ?? '');
    return length > 0 ? [{ kind: 'key', start, end: start + length }] : [];
  });
}

/** True for a file with translations or markup, whose texts are not secrets. */
export function isTranslation(path: string): boolean {
  return TRANSLATION.test(path);
}

/** True for the environment file of a deployment, false for an example of one. */
function isEnvironment(path: string): boolean {
  return ENV_FILE.test(path) && !SAMPLE_ENV_FILE.test(path) && !isExample(path);
}

/** Returns a reader of assigned values, such as `password = …`. The reader returns null unless the value is literal and random. */
export function createAssignmentReader(path: string, text: string): (found: SecretMatch) => FoundSecret | null {
  const [inEnvironment, inSettings] = [isEnvironment(path), SETTINGS.test(path)];
  return ({ kind, start, end }) => {
    const value = text.slice(start, end);
    if (value.length < 6 || value.length > 400 || /[\s\u0080-\uffff]/.test(value) || isPlaceholder(value)) return null;
    const before = text.slice(Math.max(0, start - 100), start);
    const name = NAME.exec(before)?.[1] ?? kind;
    // A value named public, such as a public key, is not secret.
    if (/public/i.test(name)) return null;
    const found = { kind, start, end, certainty: 'name', name, value } as const;
    if (inEnvironment) return isPassword(value, kind) || isLong(value) ? { ...found, rule: 'env-value' } : null;
    if (!isPassword(value, kind)) return null;
    if (kind === 'password' && isInConnection(text, start))
      return { ...found, rule: 'url-password', value: value.split(';')[0] ?? '' };
    // The value must have quotes, except in file formats without quotes.
    return inSettings || /["'`]$/.test(before) ? { ...found, rule: 'hardcoded' } : null;
  };
}

/** True inside a connection string, after `Server=…;`. */
function isInConnection(text: string, start: number): boolean {
  const near = text.slice(Math.max(0, start - 300), start);
  const line = near.slice(near.lastIndexOf('\n') + 1);
  return CONNECTION.test(line) && /;[^;]{0,40}$/.test(line);
}

const isLong = (value: string): boolean => value.length >= 8 && !/^[A-Z]?[a-z]{1,7}$/.test(value) && !isPath(value);

function isPassword(value: string, kind: string): boolean {
  if (isPath(value)) return false;
  if (kind !== 'password') return isRandom(value);
  // A password mixes digits or signs with letters; a field name does not.
  return /\d|[!@#$%^&*?+=~]/.test(value) && /[A-Za-z]/.test(value) && value.length >= 8 && !isMadeOfWords(value);
}

function isPath(value: string): boolean {
  return /^(?:\.{0,2}\/|~\/|[a-z]+:\/\/|[A-Za-z]:\\)|^[\w-]+(?:\/[\w.-]+)+\.\w{1,5}$|^arn:|^[\w.-]+\.(?:com|org|net|io|json|ya?ml|pem|key|crt|txt|js|ts|py|go|rb)$/.test(
    value,
  );
}
