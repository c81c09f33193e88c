import type { PolicySet } from '@signalbox/safety/policy/policy-set';

export interface TimedRule {
  readonly id: string;
  readonly reason: string;
}

const known = new WeakMap<PolicySet, readonly TimedRule[]>();

/** Finds a policy set's change windows: rules that depend on the hour or the weekday. Cached per set. */
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
