import { findAssignments } from '@signalbox/safety/redact/assignments';
import { mergeMatches, type SecretMatch } from '@signalbox/safety/redact/found';
import { findShapedSecrets } from '@signalbox/safety/redact/shapes';
import { findTokens } from '@signalbox/safety/redact/tokens';
import { isDocumentation, isExample, isGenerated, isInstalled, isMinified, isTest } from '../../kinds-of-files.ts';
import { createAssignmentReader, findLiteralKeys, isTranslation, type FoundSecret } from './assigned.ts';
import { isPlaceholder, isRandom } from './placeholders.ts';

const MAX_VALUE_LENGTH = 4_000;
/** Kinds of detected values that count as secrets only when they also look random. */
const HINTS = new Set(['auth-header', 'bearer-token', 'aws-secret', 'azure-secret', 'twilio-key', 'azure-sas']);

/** Generated files that are full of hashes and ids. Only tokens with a form of their own are looked for in them. */
const FULL_OF_HASHES =
  /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|go\.sum|[\w.-]+\.lock|pnpm-lock\.yaml|[\w.-]+\.(?:map|svg|po|pot|snap|lockb))$/i;

/** Finds the secrets of a file in order and in linear time, with the detectors that also redact logs. */
export function findSecrets(path: string, text: string): readonly FoundSecret[] {
  // The test keys of installed packages are published with them.
  if (isInstalled(path) && isTest(path)) return [];
  const formed = findFormed(text);
  const isShown = isTest(path) || isExample(path) || isDocumentation(path);
  const isForeign = isInstalled(path) || FULL_OF_HASHES.test(path);
  const secrets = formed.flatMap((found) => {
    const secret = judgeFormed(found, text);
    return secret && !((isShown || isForeign) && isMadeUp(secret)) ? [secret] : [];
  });
  // A comment that claims the file is generated does not count, because anyone can write it.
  if (isShown || isForeign || isTranslation(path) || isGenerated(path) || isMinified(path, text)) return secrets;
  const readSecret = createAssignmentReader(path, text);
  const literal = mergeMatches([...findAssignments(text), ...findLiteralKeys(text)]);
  const assigned = withoutOverlaps(formed, literal).flatMap((found) => readSecret(found) ?? []);
  return [...secrets, ...assigned].toSorted((a, b) => a.start - b.start);
}

/** Finds every possible secret in a text, so that the text can be displayed without them. */
export function findPossibleSecrets(text: string): readonly SecretMatch[] {
  return mergeMatches([...findFormed(text), ...findAssignments(text), ...findLiteralKeys(text)]);
}

function findFormed(text: string): readonly SecretMatch[] {
  return mergeMatches([...findTokens(text), ...findShapedSecrets(text)]);
}

/** Removes matches that overlap with `others`; both lists are sorted. */
function withoutOverlaps(others: readonly SecretMatch[], ones: readonly SecretMatch[]): readonly SecretMatch[] {
  let next = 0;
  return ones.filter(({ start, end }) => {
    while ((others[next]?.end ?? Infinity) <= start) next += 1;
    return (others[next]?.start ?? Infinity) >= end;
  });
}

/** True for a password or token that is short enough to be invented, unlike a long random token. */
function isMadeUp({ rule, kind, value }: FoundSecret): boolean {
  return HINTS.has(kind) || kind === 'jwt' || rule === 'hardcoded' || (rule === 'url-password' && !isRandom(value));
}

function judgeFormed(found: SecretMatch, text: string): FoundSecret | null {
  const value = text.slice(found.start, Math.min(found.end, found.start + MAX_VALUE_LENGTH));
  if (found.kind === 'private-key') return judgeKey(found, value);
  if (found.kind === 'url-password') return judgeUrl(found, value, text);
  if (found.kind === 'jwt') return isPublicToken(value) ? null : credential(found, value);
  if (isPlaceholder(value)) return null;
  if (HINTS.has(found.kind) && !isRandom(value, 20)) return null;
  if (found.kind === 'password' || found.kind === 'netrc-password')
    return { ...found, rule: 'hardcoded', certainty: 'form', name: 'password', value };
  return credential(found, value);
}

function credential(found: SecretMatch, value: string): FoundSecret {
  return { ...found, rule: 'credential', certainty: 'form', name: '', value };
}

/** Length of the shortest private key, Curve25519, in base64. */
const MIN_KEY_LENGTH = 60;
/** Minimum number of distinct characters; placeholder keys have fewer. */
const MIN_DISTINCT_CHARACTERS = 20;

/** Requires the body of a private key; code that searches for keys contains only the header line. */
function judgeKey(found: SecretMatch, value: string): FoundSecret | null {
  const body = value
    .replace(/^-----BEGIN [A-Z0-9 ]+-----/, '')
    .replace(/-----END [\s\S]*$/, '')
    .replaceAll(/(?<!\\)\\+[nr]/g, '')
    .replaceAll(
      /^(?:Proc-Type|DEK-Info|Version|Comment|Encryption|PuTTY-User-Key-File-\d|Public-Lines|Private-Lines|Private-MAC)\b.*$/gm,
      '',
    )
    .replaceAll(/[\s"'`+,#>|\\;]/g, '');
  if (body.length < MIN_KEY_LENGTH || !/^[A-Za-z0-9+/=:-]+$/.test(body)) return null;
  if (new Set(body).size < MIN_DISTINCT_CHARACTERS) return null;
  return { ...found, rule: 'private-key', certainty: 'form', name: '', value: body };
}

/** Local hosts, where all developers use the same password. */
const LOCAL_HOST = /^(?:localhost|127\.|0\.0\.0\.0|\[?::1|host\.docker\.internal|[a-z][a-z0-9_-]*(?=[:/?#"'\s`]|$))/i;
const DOCUMENTED_HOST = /^[^/:?#"'\s`]*(?:example|\.invalid|\.test|\.local|myhost|hostname|yourhost|your-|<|\{|\$|%)/i;

function judgeUrl(found: SecretMatch, value: string, text: string): FoundSecret | null {
  if (isPlaceholder(value) || value.length < 4 || value === 'x-access-token' || value === 'x-oauth-basic') return null;
  const host = text.slice(found.end + 1, found.end + 120);
  const user = /([\w.%+-]{0,80}):$/.exec(text.slice(Math.max(0, found.start - 81), found.start))?.[1] ?? '';
  if (DOCUMENTED_HOST.test(host) || isPlaceholder(user) || /[|()\\]/.test(value)) return null;
  const isPlain = value.toLowerCase() === user.toLowerCase() || /^[a-z]{1,12}\d{0,3}$/i.test(value);
  if (isPlain && (LOCAL_HOST.test(host) || /^[a-z]{1,6}$/i.test(value))) return null;
  if (/^(?:my|user|username|foo|bar|usr|login)/i.test(user) && isPlain) return null;
  // Percent-escaped values before a host without a dot only explain the syntax.
  if (/%[0-9A-F]{2}/i.test(value) && !/^[^/:?#]{0,80}\./.test(host)) return null;
  return { ...found, rule: 'url-password', certainty: 'form', name: '', value };
}

/** True for public tokens: the JWT documentation's example, and browser tokens of sites. */
function isPublicToken(token: string): boolean {
  const payload = readPayload(token);
  return !payload.startsWith('{') || /"(?:John Doe|Jane Doe)"|"1234567890"|"role"\s*:\s*"anon"|example/.test(payload);
}

/** Returns the expiry of a JWT, in seconds since the epoch; null when it has none. */
export function readExpiry(token: string): number | null {
  const [, seconds] = /"exp"\s{0,4}:\s{0,4}(\d{9,11})(?!\d)/.exec(readPayload(token)) ?? [];
  return seconds === undefined ? null : Number(seconds);
}

function readPayload(token: string): string {
  const payload = token.split('.')[1] ?? '';
  return Buffer.from(payload.slice(0, 2_000), 'base64url').toString('utf8');
}
