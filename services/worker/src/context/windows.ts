import type { PolicySet } from '@signalbox/safety/policy/policy-set';

/** A rule that looks at the clock or the day. */
export interface TimedRule {
  readonly id: string;
  /** The sentence of the policy's owner. */
  readonly reason: string;
}

const known = new WeakMap<PolicySet, readonly TimedRule[]>();

/** The rules of a set that look at the hour or the weekday: its change windows. Read once for each set. */
export function findTimedRules(set: PolicySet): readonly TimedRule[] {
  const found = known.get(set) ?? readTimedRules(set);
  known.set(set, found);
  return found;
}

function readTimedRules({ files, rules }: PolicySet): readonly TimedRule[] {
  const linesOf = new Map(files.map(({ name, text }) => [name, text.split('\n')]));
  return rules.flatMap(({ id, reason, file, line }) => {
    const next = rules.filter((other) => other.file === file && other.line > line).map((other) => other.line);
    const text = linesOf
      .get(file)
      ?.slice(line - 1, next.length > 0 ? Math.min(...next) - 1 : undefined)
      .map((one) => one.replace(/\/\/.*$/, ''))
      .join('\n');
    return /\bcontext\s*\.\s*(hour|weekday)\b/.test(text ?? '') ? [{ id, reason }] : [];
  });
}
