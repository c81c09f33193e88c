import { z } from 'zod';
import type { ProbeResult, ResolvedRefs, ResolveContext, ToolContext } from '@signalbox/worker/tools/tool';

/** People name a payment card by its last four digits, never by its number. */
export const CardLast4 = z
  .string()
  .regex(/^[0-9]{4}$/)
  .describe('The last four digits of the card')
  .meta({ ask: 'Which card do you mean: what are its last four digits?' });

interface OnCard {
  readonly card: string;
}

/** Fields of every tool that acts for the owner of a payment card. Any role may use the tool for the person's own cards. */
export const OWN_CARD = {
  role: 'viewer',
  egress: false,
  deadlineMs: 10_000,
  replay: 'harmless',
  risk: 'sensitive',
  probe: (_input: unknown, context: ToolContext) => probeCard(context),
} as const;

/** Fields of a tool that changes one card. Changes of the same card run one after another. */
export const CARD_CHANGE = {
  ...OWN_CARD,
  resources: ({ card }: OnCard): readonly string[] => [`card:${card}`],
  lock: ({ card }: OnCard): string => `card:${card}`,
} as const;

/** Fields of a change that needs proof of identity when the risk of the card is high. */
export const PROVEN_CARD_CHANGE = {
  ...CARD_CHANGE,
  async resolve({ card }: OnCard, { ports, threadId }: ResolveContext): Promise<ResolvedRefs> {
    const { status, risk, kind, proof } = await ports.cards.stands(threadId, card);
    return { card: kind, status, risk, proof };
  },
  resources: ({ card }: OnCard, resolved: ResolvedRefs | null): readonly string[] => [
    `card:${card}`,
    ...(resolved ? [`proof:${String(resolved['proof'])}`] : []),
  ],
} as const;

/** Finds the recorded result of an action that was interrupted before the agent received it. */
async function probeCard({ ports, actionId }: ToolContext): Promise<ProbeResult<never>> {
  const result = await ports.cards.of(actionId);
  if (result === null) return { kind: 'not-done' };
  return { kind: 'done', output: result as never }; // The same tool wrote this result
}
