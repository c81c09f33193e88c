import { z } from 'zod';
import { ActionKind, AgentClass, Environment, RiskAssessment } from '@signalbox/contracts/governance/action';
import type { PolicyQuestion } from '@signalbox/contracts/governance/decision';
import { Role } from '@signalbox/contracts/governance/roles';

const left = z.number().nullable();

/** A whole question as it was recorded. What newer versions add to it is left out. */
export const RecordedQuestion: z.ZodType<PolicyQuestion> = z
  .object({
    principal: z.object({ userKey: z.string(), role: Role, agentClass: AgentClass }),
    action: z.object({
      kind: ActionKind,
      tool: z.string(),
      group: z.string(),
      environment: Environment,
      resources: z.array(z.string()),
      arguments: z.record(z.string(), z.unknown()),
      assessment: RiskAssessment,
      leastRole: Role.optional(),
    }),
    context: z.object({
      channel: z.string(),
      inGroup: z.boolean(),
      at: z.string(),
      frozen: z.boolean(),
      breakGlass: z.boolean(),
      budget: z.object({ callsLeft: left, tokensLeft: left, costUsdLeft: left }),
      granted: z.boolean(),
      otherApprovers: z.int().min(0),
    }),
  })
  .transform(({ principal, action: { leastRole, ...action }, context }) => ({
    principal,
    action: leastRole === undefined ? action : { ...action, leastRole },
    context,
  }));
