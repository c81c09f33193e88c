import { readGovernanceFacts } from '@signalbox/store/governance/governance-facts';
import type { Pool } from '@signalbox/store/pool';
import { evaluatePass, type EvaluationOutcome, type PassSummary } from './evaluation.ts';
import type { BudgetLimits } from '@signalbox/governance/deps';

/** Judges a pass; looks up the person's budgets when some are configured. `used`: this turn's usage so far. */
export async function judgePass(
  { pool, limits }: { readonly pool: Pool; readonly limits: BudgetLimits },
  userKey: string,
  pass: PassSummary,
  used: { readonly tokens: number; readonly costUsd: number },
): Promise<EvaluationOutcome> {
  const { tokensPerDay, costUsdPerDay } = limits;
  if (tokensPerDay === null && costUsdPerDay === null) return evaluatePass(pass, false);
  const before = await readGovernanceFacts(pool, { tool: '', arguments: {}, requester: { userKey } }, null);
  const isSpent =
    (tokensPerDay !== null && before.tokens + used.tokens >= tokensPerDay) ||
    (costUsdPerDay !== null && before.costUsd + used.costUsd >= costUsdPerDay);
  return evaluatePass(pass, isSpent);
}
