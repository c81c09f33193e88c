import { hashCanonical } from '@signalbox/safety/cards/canonical';
import type { ProposedAction, RiskAssessment } from '@signalbox/contracts/governance/action';
import type { ActionButton, OfferedButton } from '@signalbox/contracts/conversation/envelope';
import { AppError } from '@signalbox/contracts/errors';
import { runInLanguage, LANGUAGES } from '@signalbox/messages/language';
import type { ResolvedRefs } from '@signalbox/safety/cards/resolved';
import type { CallScope, RunnableCall } from './calls/call.ts';
import type { Tool } from './calls/tool.ts';
import type { InstalledTools } from './calls/tools.ts';
import { findForeignValue } from './provenance/own-values.ts';
import { hashAction, createProposedAction } from './proposal.ts';

/*
 * An offer is a runtime's button for one complete call. When it is drawn, the call's meaning is resolved and hashed together with the
 * person who may press it and the conversation. A press confirms exactly the action of that hash, once: see `hasPressedOffer`. A model's
 * buttons are only text, without a hash.
 */

const NOTHING: ReadonlySet<string> = new Set();

type Resolve = (call: RunnableCall) => Promise<ResolvedRefs | null>;

/** The person, conversation and chat that a button is drawn for. */
export type OfferScope = Pick<CallScope, 'actor' | 'agent' | 'threadId' | 'turnId' | 'chatKey'>;

/**
 * Binds each button to its exact action. A button stays plain text when its label is incomplete, its action is no call of these tools, or
 * its meaning is unknown. `resolve`: null where no look-up is possible. Read-only.
 */
export async function bindOffers(
  tools: InstalledTools,
  asker: OfferScope,
  buttons: readonly (ActionButton | OfferedButton)[],
  resolve: Resolve | null,
): Promise<readonly OfferedButton[]> {
  const bound: OfferedButton[] = [];
  for (const button of buttons) {
    const { label, value } = button;
    const offer = 'does' in button && button.does ? await hashOf({ tools, resolve }, asker, label, button.does) : null;
    bound.push(offer === null ? { label, value } : { label, value, offer });
  }
  return bound;
}

/** Computes the hash that a pressed button must have to confirm this action. */
export function hashOffer(action: ProposedAction): string {
  return hashCanonical({ action: hashAction(action), threadId: action.threadId });
}

async function hashOf(
  { tools, resolve }: { readonly tools: InstalledTools; readonly resolve: Resolve | null },
  asker: OfferScope,
  label: string,
  does: NonNullable<ActionButton['does']>,
): Promise<string | null> {
  const groups = tools.groups.map(({ name }) => name);
  const read = tools.read({ actionId: 'offer', tool: does.tool, args: does.arguments, groups }, asker.agent.id);
  if ('refused' in read) return null;
  const { tool, input } = read.runnable;
  // The label must be the tool's own sentence, or contain every value, so that the person reads what they confirm.
  if (!isOrder(tool, does.arguments, label) && findForeignValue(tool, input, { said: [label], made: NOTHING }) !== null)
    return null;
  if (tool.resolve && !resolve) return null;
  try {
    const resolved = tool.resolve && resolve ? await resolve(read.runnable) : null;
    // Policy would also decide about resolved resources that the label does not mention.
    if (tool.resources(input, resolved).length > tool.resources(input).length) return null;
    const call: RunnableCall = { ...read.runnable, resolved };
    // The assessment is not hashed: policy decides at the press.
    return hashOffer(createProposedAction(asker, call, UNASSESSED));
  } catch (error) {
    if (error instanceof AppError && error.code !== 'LANE_LOST') return null;
    throw error;
  }
}

/** True when a label is the tool's own sentence for this call, in any language, since the reader's language may have changed. */
function isOrder(tool: Tool, args: unknown, label: string): boolean {
  return LANGUAGES.some((language) => runInLanguage(language, () => tool.order(args)) === label);
}

const UNASSESSED: RiskAssessment = {
  risk: 'dangerous',
  score: 1,
  reasons: [],
  tainted: true,
  touchesPrivate: true,
  egress: true,
};
