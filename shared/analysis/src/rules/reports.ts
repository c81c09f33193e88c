import { rule, type Rules } from './rule.ts';

/** Rules by name. Other tools have rules of their own, whose names and messages a finding quotes. */
export const REPORTS_RULES = {
  'reports/problem': rule('rules-reports.problem', 'rules-reports.problemWhy'),
  'reports/weakness': rule('rules-reports.weakness', 'rules-reports.weaknessWhy'),
} satisfies Rules;
