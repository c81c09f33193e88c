import { say } from '@signalbox/messages/say';
import type { FixableFinding } from './fix.ts';

/** Rules whose findings are fixed without a model. */
const FIXABLE = [
  'advisories/known-weakness',
  'dependencies/lock-out-of-step',
  'dependencies/no-lock-file',
  'secrets/hardcoded',
  'secrets/credential',
  'health/no-readme',
  'health/no-ignore-file',
  'health/committed-junk',
  'code/focused-test',
  'risk/action-unpinned',
] as const;
export type FixableRule = (typeof FIXABLE)[number];

/** Rules whose fix is a decision or an act of a person, with the name of its reason. */
const REASONS: Readonly<Record<string, string>> = {
  'secrets/in-history': 'history',
  'secrets/private-key': 'key',
  'secrets/env-value': 'key',
  'secrets/url-password': 'key',
  'risk/keystore': 'key',
  'risk/login-file': 'key',
  'licences/none': 'license',
  'licences/mismatch': 'license',
  'licences/copyleft': 'license',
  'licences/invalid-expression': 'license',
};

/** Says why findings of a rule are not fixed without a model; null when they are. Pure but for the language. */
export function explainUnfixable({ rule, values }: Pick<FixableFinding, 'rule' | 'values'>): string | null {
  const fixable: readonly string[] = FIXABLE;
  if (!fixable.includes(rule)) return say('fixes.noneBecause', { reason: REASONS[rule] ?? 'judgment' });
  const isUnmended = rule === 'advisories/known-weakness' && values['state'] === 'open';
  return isUnmended ? say('fixes.noneBecause', { reason: 'noVersion' }) : null;
}
