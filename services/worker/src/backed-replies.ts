import type { AuditEvent } from '@signalbox/shared/contracts/audit';
import { appendAudit } from '@signalbox/shared/db/audit';
import type { Pool } from '@signalbox/shared/db/pool';
import { redactValue } from '@signalbox/shared/redact/redact';
import type { AgentReply } from './agents/agent.ts';
import { checkClaims } from './governance/claims.ts';
import type { TurnContext } from './turn-end.ts';

/** Replies without what they claim and nothing of this turn did; each such claim is written down. */
export async function backed(
  parts: { readonly pool: Pool; readonly agentId: string },
  context: TurnContext,
  replies: readonly AgentReply[],
): Promise<readonly AgentReply[]> {
  const checked = replies.map((reply) => ({ reply, ...checkClaims(reply.text, { results: context.evidence }) }));
  const events = checked
    .filter(({ unbacked }) => unbacked.length > 0)
    .map(({ reply, unbacked }): AuditEvent => ({
      kind: 'claim.rewritten',
      actor: `agent:${parts.agentId}`,
      threadId: context.threadId,
      turnId: context.turnId,
      actionId: null,
      approvalId: null,
      policyVersion: null,
      data: { reply: reply.key, claims: redactValue(unbacked.map((claim) => claim.slice(0, 300))) },
    }));
  await appendAudit(parts.pool, events);
  return checked.map(({ reply, text }) => ({ ...reply, text }));
}
