import { cardTitle } from '@signalbox/safety/cards/approval-card';
import { escapeLine } from '@signalbox/safety/cards/canonical-card';
import type { Approval, ApprovalVote } from '@signalbox/contracts/governance/approval';
import type { Grant } from '@signalbox/store/governance/grants';
import { sayDuration } from '@signalbox/messages/duration';

/** What the gateway answers to commands about approvals, grants, freezes and decisions. */
export const ONLY_IN_GROUPS = 'Write that in the group that is to decide; in private it has no meaning.';
export const APPROVALS_HERE = 'Requests for approval are shown here from now on.';
export const APPROVALS_PRIVATE = 'Requests for approval go to everybody who may decide, in private, from now on.';
export const FROZEN_ALREADY = 'A freeze is in force already. /unfreeze lifts it.';
export const NOT_FROZEN = 'There is no freeze.';
export const UNFROZEN = 'The freeze is lifted. Policy decides again.';

export const frozen = (reason: string): string =>
  `Frozen${reason === '' ? '' : `: ${reason}`}. Nothing but look-ups runs until /unfreeze.`;
export const frozenBy = (name: string, reason: string): string => `${name} froze everything. ${frozen(reason)}`;
export const unfrozenBy = (name: string): string => `${name} lifted the freeze.`;
export const glassBroken = (ms: number): string =>
  `Break-glass is open for ${sayDuration(ms)}. Everything is recorded, and everybody who decides has been told.`;
export const glassBrokenBy = (name: string, ms: number): string =>
  `⚠️ ${name} opened break-glass for ${sayDuration(ms)}: actions run in spite of a freeze.`;

export function pending(
  open: readonly { readonly approval: Approval; readonly votes: readonly ApprovalVote[] }[],
  now = Date.now(),
): string {
  if (open.length === 0) return 'Nothing waits for approval.';
  const lines = open.map(({ approval, votes }) => {
    const { card, needed, expiresAt, approvalId } = approval;
    const left = sayDuration(Math.max(0, expiresAt.getTime() - now));
    return `- ${cardTitle(card)}, for ${escapeLine(card.requester)}: ${votes.length} of ${needed}, ${left} left (\`${approvalId}\`)`;
  });
  return `Waiting for approval:\n${lines.join('\n')}\n\nThe buttons are on the cards.`;
}

export function grants(list: readonly Grant[], now = Date.now()): string {
  if (list.length === 0) return 'No grants are in force.';
  const lines = list.map(({ grantId, tool, userKey, match, usesLeft, expiresAt }) => {
    const args = Object.entries(match).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
    const left = sayDuration(Math.max(0, expiresAt.getTime() - now));
    return `- \`${tool}\` ${args.join(' ').replaceAll('`', 'ˋ')} for ${userKey}: ${usesLeft} times, ${left} left (\`${grantId}\`)`;
  });
  return `Grants in force:\n${lines.join('\n')}\n\n/grants revoke <id> takes one back.`;
}

export const noGrant = (id: string): string => `There is no grant ${id} in force. /grants lists them.`;
export const revoked = ({ grantId, tool }: Grant): string => `Taken back: ${tool} (\`${grantId}\`).`;
