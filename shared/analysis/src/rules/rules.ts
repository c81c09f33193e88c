import type { Severity } from '@signalbox/contracts/repository/finding';
import { DEPENDENCIES_RULES } from './dependencies.ts';
import { QUALITY_RULES } from './quality.ts';
import type { Rule, Rules } from './rule.ts';
import { SECRETS_RULES } from './secrets.ts';
import { say } from '@signalbox/messages/say';

/** Every rule that an analyzer may find something by. */
export const RULES: Rules = { ...SECRETS_RULES, ...DEPENDENCIES_RULES, ...QUALITY_RULES };

/** Null for a rule of an earlier release that is gone. */
export function findRule(name: string): Rule | null {
  return Object.hasOwn(RULES, name) ? (RULES[name] ?? null) : null;
}

/** How much a finding matters, in a word. */
export function saySeverity(severity: Severity): string {
  return say('findings.severity', { severity });
}
