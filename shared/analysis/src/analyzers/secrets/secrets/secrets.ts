import { createHash } from 'node:crypto';
import type { RawFinding, Severity } from '@signalbox/contracts/repository/finding';
import type { SecretMatch } from '@signalbox/safety/redact/found';
import { describeKind } from '@signalbox/safety/redact/kinds';
import { toEvidence } from '../../evidence.ts';
import { isDocumentation, isExample, isTest } from '../../kinds-of-files.ts';
import { lowerSeverity } from '../../problem.ts';
import type { FoundSecret } from './assigned.ts';
import { MAX_LARGE_BYTES, type Analyzer, type FileFacts, type PartFacts } from '../../../analyzer.ts';
import { findPossibleSecrets, findSecrets, readExpiry } from './find-secrets.ts';

/** Stored facts of a secret, never the secret itself. */
type SecretFact = {
  readonly rule: string;
  readonly kind: string;
  readonly name: string;
  readonly severity: Severity;
  readonly line: number;
  readonly evidence: string;
  /** First digits of the secret's SHA-256, which identify the secret without revealing it. */
  readonly hash: string;
  /** Expiry of a token, in seconds since the epoch. */
  readonly expiresAt: number | null;
};

export type SecretsSummary = {
  /** Number of distinct secrets in the commit, and of those found only in the history. */
  readonly current: number;
  readonly inHistory: number;
};

const MAX_PROBLEMS = 50;
const HASH_LENGTH = 16;
const CONTEXT_LENGTH = 90;
/** Finds committed keys, tokens and passwords on every branch and in the history. Ignores the repository's own exclusion settings. */
export const SECRETS_ANALYZER: Analyzer<readonly SecretFact[]> = {
  name: 'secrets',
  version: 4,
  reach: 'history',
  maxBytes: MAX_LARGE_BYTES,
  // Tokens are looked for everywhere: whoever leaks one does not mind the name of the folder.
  wants: () => true,
  inspect(path, text) {
    const secrets = findSecrets(path, text);
    if (secrets.length === 0) return null;
    const hidden = findPossibleSecrets(text);
    const facts = new Map<string, SecretFact>();
    const getLineAt = createLines(text);
    for (const secret of secrets) {
      const hash = createHash('sha256').update(secret.value).digest('hex').slice(0, HASH_LENGTH);
      const key = `${secret.rule} ${hash}`;
      if (facts.has(key) || facts.size >= MAX_PROBLEMS) continue;
      facts.set(key, {
        rule: secret.rule,
        kind: describeKind(secret.kind),
        name: toEvidence(secret.name),
        severity: rateSecret(path, secret),
        line: getLineAt(secret.start),
        evidence: showLine(text, secret.start, hidden),
        hash,
        expiresAt: secret.kind === 'jwt' ? readExpiry(secret.value) : null,
      });
    }
    return [...facts.values()];
  },
  join: joinParts,
  conclude(noted, { committedAt }) {
    const isOver = ({ expiresAt }: SecretFact): boolean => expiresAt !== null && expiresAt < committedAt;
    const current = noted.filter(({ isCurrent }) => isCurrent);
    const known = new Set(current.flatMap(({ facts }) => facts.map(({ hash }) => hash)));
    const past = findFirstOfEach(noted.filter(({ isCurrent }) => !isCurrent)).filter(
      ({ fact }) => !known.has(fact.hash),
    );
    const found: RawFinding[] = [
      ...current.flatMap(({ path, facts }) => facts.filter((one) => !isOver(one)).map((one) => toFound(path, one))),
      ...past
        .filter(({ fact }) => !isOver(fact))
        .map(({ noted: { path, commit }, fact }) => toPastFinding(path, fact, commit)),
    ];
    const summary: SecretsSummary = { current: known.size, inHistory: past.length };
    return { found, summary };
  },
};

/** Joins the secrets of overlapping parts. What a cut has shortened is read whole in the next part. */
function joinParts(parts: readonly PartFacts<readonly SecretFact[]>[]): readonly SecretFact[] {
  const facts = new Map<string, SecretFact>();
  for (const [index, { facts: found, line }] of parts.entries()) {
    const wholeFrom = parts[index + 1]?.wholeFrom ?? Infinity;
    for (const one of found) {
      const fact = { ...one, line: one.line + line - 1 };
      const key = `${fact.rule} ${fact.hash}`;
      if (fact.line < wholeFrom && !facts.has(key) && facts.size < MAX_PROBLEMS) facts.set(key, fact);
    }
  }
  return [...facts.values()];
}

function toFound(path: string, { rule, kind, name, severity, line, evidence, hash }: SecretFact): RawFinding {
  const values = name === '' ? { kind } : { kind, name };
  return { rule: `secrets/${rule}`, severity, path, line, evidence, values, identity: hash };
}

const COMMIT_SHOWN = 12;

/** Findings in the history name a commit instead of a line. */
function toPastFinding(
  path: string,
  { kind, severity, evidence, hash }: SecretFact,
  commit: string | null,
): RawFinding {
  const values = { kind, commit: commit?.slice(0, COMMIT_SHOWN) ?? '' };
  return { rule: 'secrets/in-history', severity, path, line: null, evidence, values, identity: hash };
}

/** Keeps the earliest occurrence of each secret. */
function findFirstOfEach(
  noted: readonly FileFacts<readonly SecretFact[]>[],
): readonly { readonly noted: FileFacts<readonly SecretFact[]>; readonly fact: SecretFact }[] {
  const first = new Map<string, { noted: FileFacts<readonly SecretFact[]>; fact: SecretFact }>();
  for (const one of noted)
    for (const fact of one.facts) if (!first.has(fact.hash)) first.set(fact.hash, { noted: one, fact });
  return [...first.values()];
}

/** Returns the line at an offset, with `[secret]` for each possible secret. */
function showLine(text: string, at: number, hidden: readonly SecretMatch[]): string {
  const from = Math.max(text.lastIndexOf('\n', at - 1) + 1, at - CONTEXT_LENGTH);
  const end = text.indexOf('\n', at);
  const to = Math.min(end < 0 ? text.length : end, at + CONTEXT_LENGTH);
  const pieces: string[] = [];
  let next = from;
  for (const one of hidden.filter(({ start, end: last }) => start < to && last > from)) {
    pieces.push(text.slice(next, Math.max(next, one.start)), '[secret]');
    next = one.end;
  }
  return toEvidence(pieces.join('') + text.slice(next, Math.max(next, to)));
}

function createLines(text: string): (at: number) => number {
  let [line, seen] = [1, 0];
  return (at) => {
    for (let next = text.indexOf('\n', seen); next >= 0 && next < at; next = text.indexOf('\n', seen)) {
      line += 1;
      seen = next + 1;
    }
    return line;
  };
}

/** Paths of files that only developers use. */
const DEVELOPMENT =
  /(?:^|[/._-])(?:dev|devel|development|local|localhost|docker-compose|compose|vagrant|devcontainer|sandbox|playground)(?:[/._-]|$)/i;

/** Kinds of keys that are public by design; their issuer limits the use. */
const FOR_BROWSERS = new Set(['gcp-key', 'mapbox-token']);
/** Kinds of secrets that grant access to a whole account. */
const WHOLE_ACCOUNT = new Set([
  'aws-key',
  'aws-secret',
  'azure-key',
  'azure-secret',
  'gcp-oauth',
  'github-token',
  'stripe-key',
  'npm-token',
  'pypi-token',
]);

function rateSecret(path: string, { rule, kind, value, certainty }: FoundSecret): Severity {
  const severity = SEVERITY_OF[rule] ?? rateCredential(kind, value);
  if (isTest(path)) return rule === 'private-key' ? 'info' : 'low';
  if (isExample(path) || isDocumentation(path))
    return rule === 'private-key' ? 'low' : lowerSeverity(lowerSeverity(severity));
  return DEVELOPMENT.test(path) && certainty === 'name' ? 'low' : severity;
}

const SEVERITY_OF: Readonly<Partial<Record<FoundSecret['rule'], Severity>>> = {
  'private-key': 'critical',
  'url-password': 'high',
  'env-value': 'high',
  hardcoded: 'medium',
};

function rateCredential(kind: string, value: string): Severity {
  if (FOR_BROWSERS.has(kind) || kind === 'jwt') return 'medium';
  if (/^[sr]k_test_/.test(value)) return 'low';
  return WHOLE_ACCOUNT.has(kind) ? 'critical' : 'high';
}
