import type { OutboundBody } from '@signalbox/contracts/conversation/envelope';
import { say } from '@signalbox/messages/say';
import type { ChallengeStore } from '@signalbox/plugins/plugin';
import type { SecretSealer } from '@signalbox/safety/secrets/cipher';
import { CODE_PLACEHOLDER, computeCode, computeMark } from '@signalbox/safety/secrets/step-up-code';
import type { Queryable } from '@signalbox/store/pool';

/**
 * Fills the code of a challenge into the body that is sent; it is never stored. The mark to compare answers with is
 * stored first. A void code is not sent.
 */
export async function fillInCode(
  db: Queryable,
  { cipher, challenges }: { readonly cipher: SecretSealer; readonly challenges: ChallengeStore },
  body: OutboundBody,
): Promise<OutboundBody> {
  if (body.code === undefined) return body;
  const { challengeId } = body.code;
  const code = computeCode(cipher, challengeId);
  const isValid = await challenges.markSent(db, challengeId, computeMark(cipher, challengeId, code));
  return { ...body, text: isValid ? body.text.replaceAll(CODE_PLACEHOLDER, code) : say('gateway.code-void') };
}
