import type { OutboundBody } from '@signalbox/contracts/conversation/envelope';
import { say } from '@signalbox/messages/say';
import type { SecretSealer } from '@signalbox/safety/secrets/cipher';
import { CODE_PLACE, codeOf, markOf } from '@signalbox/safety/secrets/step-up-code';
import { markSent } from '@signalbox/store/cards/code-challenges';
import type { Queryable } from '@signalbox/store/pool';

/**
 * Fills the code of a challenge into the body that is sent; it is never stored. The mark to compare answers with is
 * stored first. A void code is not sent.
 */
export async function fillInCode(db: Queryable, sealer: SecretSealer, body: OutboundBody): Promise<OutboundBody> {
  if (body.code === undefined) return body;
  const { challengeId } = body.code;
  const code = codeOf(sealer, challengeId);
  const isValid = await markSent(db, challengeId, markOf(sealer, challengeId, code));
  return { ...body, text: isValid ? body.text.replaceAll(CODE_PLACE, code) : say('cards.codeVoid') };
}
