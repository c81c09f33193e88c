import type { Severity } from '@signalbox/contracts/repository/finding';
import { DEPENDENCIES_RULES } from './dependencies.ts';
import { QUALITY_RULES } from './quality.ts';
import { REPORTS_RULES } from './reports.ts';
import type { Rule, Rules } from './rule.ts';
import { SECRETS_RULES } from './secrets.ts';
import { say } from '@signalbox/messages/say';

export const RULES: Rules = { ...SECRETS_RULES, ...DEPENDENCIES_RULES, ...QUALITY_RULES, ...REPORTS_RULES };

/** Finds a rule by name; null when the rule was removed. */
export function findRule(name: string): Rule | null {
  return Object.hasOwn(RULES, name) ? (RULES[name] ?? null) : null;
}

export function saySeverity(severity: Severity): string {
  return say('findings.severity', { severity });
}
