import type { OutboundBody } from '@signalbox/contracts/conversation/envelope';
import { say } from '@signalbox/messages/say';
import type { SecretSealer } from '@signalbox/safety/secrets/cipher';
import { CODE_PLACE, codeOf, markOf } from '@signalbox/safety/secrets/step-up-code';
import { markSent } from '@signalbox/store/cards/code-challenges';
import type { Queryable } from '@signalbox/store/pool';

/**
 * The message with the code that belongs into it, as its reader gets it: this copy is sent and never stored. The mark with which answers
 * are compared is written before. A code that is for nothing any more is not sent.
 */
export async function withCode(db: Queryable, sealer: SecretSealer, body: OutboundBody): Promise<OutboundBody> {
  if (body.code === undefined) return body;
  const { challengeId } = body.code;
  const code = codeOf(sealer, challengeId);
  const counts = await markSent(db, challengeId, markOf(sealer, challengeId, code));
  return { ...body, text: counts ? body.text.replaceAll(CODE_PLACE, code) : say('cards.codeVoid') };
}
