import { z } from 'zod';
import type { ProbeResult, Resolved, ResolveContext, ToolContext } from '@signalbox/worker/tools/tool';

/** A card is named by its last four digits, and never by its number. */
export const Card = z
  .string()
  .regex(/^[0-9]{4}$/)
  .describe('The last four digits of the card')
  .meta({ ask: 'Which card do you mean: what are its last four digits?' });

/** A tool whose effect is on a card of the person who asks: every role may look after its own. */
export const OWN_CARD = { role: 'viewer', egress: false, deadlineMs: 10_000, replay: 'harmless' } as const;

/** What a change of a card stands for. `proof`: whether it is certain who asks, where the risk makes that matter. */
export async function resolveCard({ card }: { readonly card: string }, look: ResolveContext): Promise<Resolved> {
  const { status, risk, kind, proof } = await look.ports.cards.stands(look.threadId, card);
  return { card: kind, status, risk, proof };
}

/** For policy: the card, and whether its risk takes a proof that is missing. */
export function listCardResources({ card }: { readonly card: string }, resolved: Resolved | null): readonly string[] {
  return [`card:${card}`, ...(resolved ? [`proof:${String(resolved['proof'])}`] : [])];
}

/** Changes of one card are made one after another. */
export const cardLock = ({ card }: { readonly card: string }): string => `card:${card}`;

/** What the rows say of an action whose result was lost: it fits every tool, because the same tool wrote it. */
export async function probeCard({ ports, actionId }: ToolContext): Promise<ProbeResult<never>> {
  const result = await ports.cards.of(actionId);
  if (result === null) return { kind: 'not-done' };
  return { kind: 'done', output: result as never }; // of the tool that asks, as above
}
