import { z } from 'zod';
import type { CardNodeContext, CardNodeOutcome } from '../cards.ts';
import { say } from '@signalbox/messages/say';
import { isWaiting } from '@signalbox/contracts/governance/waiting';
import { replyWithText } from '../cards.ts';
import { AGENT_ID, type LostCardDomain } from '../domain.ts';
import { VIEWS } from '../views.ts';

const Sent = z.object({ channel: z.string().nullable() });
const Checked = z.object({ outcome: z.enum(['verified', 'wrong', 'locked', 'expired', 'none']) });
/** Error codes after which no code can be sent and only an operator can help. */
const NO_MORE_CODES: readonly string[] = ['STEP_UP_LOCKED', 'STEP_UP_TOO_MANY'];

/**
 * Verifies the person's identity by a code in another chat or by an operator. Required before irreversible changes of a high-risk card;
 * the tools require the same proof.
 */
export async function verifyIdentity(context: CardNodeContext): Promise<CardNodeOutcome> {
  const { given, domain, heard } = context;
  const requested = given('verify_identity');
  if (given('ask_operator')) return askOperator(context, []);
  if (requested?.code !== undefined) return checkCode(context, requested.code);
  if (domain.identity_verified && (!requested || heard.kind === 'news'))
    return goOn(domain, { identity_verified: true });
  return sendCode(context, requested?.by ?? 'chat');
}

async function sendCode(context: CardNodeContext, by: 'chat' | 'operator'): Promise<CardNodeOutcome> {
  const sent = await context.call('send_step_up_code', { by });
  if (sent.code !== null && NO_MORE_CODES.includes(sent.code)) return askOperator(context, [sent.say]);
  if (!sent.ok)
    return { ...replyWithText(sent.say), view: 'challenge', awaits: true, errors: { code: sent.code ?? '' } };
  // The tool reports the channel that got the code, so the reply can name the right chat.
  const { channel } = Sent.catch({ channel: null }).parse(sent.result);
  const code_by = isWaiting(sent) ? 'operator' : 'chat';
  const domain = { code_by, code_channel: channel, awaiting: 'code', trouble_count: 0 } as const;
  return { domain, view: 'challenge', awaits: true };
}

async function checkCode(context: CardNodeContext, code: string): Promise<CardNodeOutcome> {
  const { domain, call } = context;
  const checked = await call('check_step_up_code', { code });
  const { outcome } = Checked.catch({ outcome: 'none' }).parse(checked.result);
  const audit = [{ action: `${AGENT_ID}.verify_identity`, outcome: checked.code ?? outcome }];
  if (checked.ok && outcome === 'verified') {
    const next = goOn(domain, { identity_verified: true });
    return { ...next, audit, replies: [{ text: checked.say, buttons: [] }, ...(next.replies ?? [])] };
  }
  if (checked.ok && outcome === 'locked') return { ...(await askOperator(context, [checked.say])), audit };
  const { buttons } = VIEWS.challenge(domain, context);
  return { replies: [{ text: checked.say, buttons }], awaits: true, audit, errors: { code: outcome } };
}

/** Asks an operator to vouch for the person. The approval arrives later as an event. */
async function askOperator({ call }: CardNodeContext, before: readonly string[]): Promise<CardNodeOutcome> {
  const asked = await call('escalate_to_operator', { about: 'identity' });
  const isAsked = asked.ok && isWaiting(asked);
  const replies = [...before, isAsked ? say('lost-card.vouching') : asked.say].map((text) => ({ text, buttons: [] }));
  return {
    replies,
    domain: { escalation_required: true, awaiting: isAsked ? 'vouching' : null },
    open: 'wait',
    audit: [{ action: `${AGENT_ID}.escalate`, outcome: asked.code ?? 'proposed' }],
  };
}

/** Continues the request that needed proof of identity. */
function goOn({ wanted }: LostCardDomain, known: Partial<LostCardDomain>): CardNodeOutcome {
  const domain = { ...known, awaiting: null, code_by: null, code_channel: null };
  if (wanted === 'order_replacement') return { domain, goto: 'issue_replacement' };
  if (wanted === 'report_fraud' || wanted === 'reset')
    return { domain: { ...domain, awaiting: 'next' }, goto: 'confirm_action' };
  return { domain, view: 'home' };
}
