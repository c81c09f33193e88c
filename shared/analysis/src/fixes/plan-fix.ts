import { planFileFix } from './file-fixes.ts';
import { explainUnfixable, type FixableRule } from './fixable.ts';
import type { FixableFinding, FixFiles, FixPlan } from './fix.ts';
import { planLockFix } from './lock-fixes.ts';
import { planPin } from './pin-fix.ts';
import { planSecretFix } from './secret-fixes.ts';

type Planner = (finding: FixableFinding, files: FixFiles) => Promise<FixPlan>;

/** Rules whose findings are fixed without a model. */
const PLANNERS: Readonly<Record<FixableRule, Planner>> = {
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

/** Plans the fix of a finding. The same finding of the same commit gives the same plan. Pure but for reading and the language. */
export async function planFix(finding: FixableFinding, files: FixFiles): Promise<FixPlan> {
  const why = explainUnfixable(finding);
  if (why !== null) return { kind: 'none', why };
  return PLANNERS[finding.rule as FixableRule](finding, files); // every other rule has a reason above
}
