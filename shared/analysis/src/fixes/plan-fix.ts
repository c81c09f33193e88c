import { say } from '@signalbox/messages/say';
import { planFileFix } from './file-fixes.ts';
import type { FixableFinding, FixFiles, FixPlan } from './fix.ts';
import { planLockFix } from './lock-fixes.ts';
import { planPin } from './pin-fix.ts';
import { planSecretFix } from './secret-fixes.ts';

type Planner = (finding: FixableFinding, files: FixFiles) => Promise<FixPlan>;

/** Rules whose findings are fixed without a model. */
const PLANNERS: Readonly<Record<string, Planner>> = {
  'advisories/known-weakness': planLockFix,
  'dependencies/lock-out-of-step': planLockFix,
  'dependencies/no-lock-file': planLockFix,
  'secrets/hardcoded': planSecretFix,
  'secrets/credential': planSecretFix,
  'health/no-readme': planFileFix,
  'health/no-ignore-file': planFileFix,
  'health/committed-junk': planFileFix,
  'code/focused-test': planFileFix,
  'risk/action-unpinned': planPin,
};

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
  if (rule === 'advisories/known-weakness' && values['state'] === 'open')
    return say('fixes.noneBecause', { reason: 'noVersion' });
  return Object.hasOwn(PLANNERS, rule) ? null : say('fixes.noneBecause', { reason: REASONS[rule] ?? 'judgment' });
}

/** Plans the fix of a finding. The same finding of the same commit gives the same plan. Pure but for reading and the language. */
export async function planFix(finding: FixableFinding, files: FixFiles): Promise<FixPlan> {
  const why = explainUnfixable(finding);
  const plan = PLANNERS[finding.rule];
  return why === null && plan ? plan(finding, files) : { kind: 'none', why: why ?? '' };
}
