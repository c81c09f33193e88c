import { readGovernanceFacts } from '@signalbox/store/governance/governance-facts';
import type { Pool } from '@signalbox/store/pool';
import { evaluate, type EvaluationOutcome, type PassFacts } from './evaluation.ts';
import type { BudgetLimits } from '@signalbox/governance/deps';

/** The verdict on a pass, with the budgets of its person looked up where there are any. `used`: what this turn has used so far. */
export async function judgePass(
  { pool, limits }: { readonly pool: Pool; readonly limits: BudgetLimits },
  userKey: string,
  pass: PassFacts,
  used: { readonly tokens: number; readonly costUsd: number },
): Promise<EvaluationOutcome> {
  const { tokensPerDay, costUsdPerDay } = limits;
  if (tokensPerDay === null && costUsdPerDay === null) return evaluate(pass, false);
  const before = await readGovernanceFacts(pool, { tool: '', arguments: {}, requester: { userKey } }, null);
  const isSpent =
    (tokensPerDay !== null && before.tokens + used.tokens >= tokensPerDay) ||
    (costUsdPerDay !== null && before.costUsd + used.costUsd >= costUsdPerDay);
  return evaluate(pass, isSpent);
}
