import { say } from '@signalbox/messages/say';

/** Why a program could not serve, as far as its log says it. */
export interface EndHint {
  readonly kind: 'readOnly' | 'taken' | 'unreachable' | 'variable' | 'package';
  /** The port, address, variable or package; empty when the log does not name it. */
  readonly what: string;
}

const PATTERNS: readonly (readonly [EndHint['kind'], RegExp, RegExp])[] = [
  ['readOnly', /\bEROFS\b|read-only file system|\bENOENT\b.*mkdir '\/app\//i, /$^/],
  ['taken', /\bEADDRINUSE\b|address already in use/i, /:(\d{2,5})\b/],
  ['variable', /\benv(?:ironment)?[ -]?var|\bmust be set\b|\bnot set\b/i, /\b([A-Z][A-Z0-9]*_[A-Z0-9_]{1,60})\b/],
  [
    'unreachable',
    /\bECONNREFUSED\b|connection refused|can't reach database server/i,
    /((?:[\w-]{1,60}(?:\.[\w-]{1,60}){0,9}|\[?::1\]?):\d{2,5})\b/,
  ],
  [
    'package',
    /cannot find (?:module|package) '|no module named /i,
    /(?:cannot find (?:module|package)|named) '?([\w@./-]{1,100})/i,
  ],
];
/** A program may name what it lacks before it says more, so the newest lines do not go first. */
const NEEDS_NAME: ReadonlySet<EndHint['kind']> = new Set(['variable', 'package']);
const MAX_LINE = 2_000;

/** Finds why a program could not serve in the last lines of its log; null when they do not say it. Pure. */
export function findEndHint(lines: readonly string[]): EndHint | null {
  for (const [kind, pattern, name] of PATTERNS)
    for (const line of lines) {
      const text = line.slice(0, MAX_LINE);
      const what = pattern.test(text) ? (name.exec(text)?.[1] ?? '') : null;
      if (what !== null && (what !== '' || !NEEDS_NAME.has(kind))) return { kind, what };
    }
  return null;
}

/** Says what people can do about it, to be added to a sentence; empty without a hint. */
export function sayEndHint(lines: readonly string[]): string {
  const hint = findEndHint(lines);
  return hint === null
    ? ''
    : say('deployment.endHint', { kind: hint.kind, what: hint.what, isNamed: hint.what !== '' });
}
