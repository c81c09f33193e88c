import { appendAudit } from '@signalbox/store/audit/audit';
import { putOutbox } from '@signalbox/store/conversation/outbox';
import type { Queryable } from '@signalbox/store/pool';
import { putSecrets } from '@signalbox/store/secrets';
import { sayList } from '@signalbox/messages/list';
import { say } from '@signalbox/messages/say';
import { describeKind } from '@signalbox/safety/redact/kinds';
import type { SecretSealer } from '@signalbox/safety/secrets/cipher';
import type { HiddenSecret } from '@signalbox/safety/secrets/hide';
import { HOUR_MS } from '@signalbox/contracts/time';
import { toAnswerBody } from '../../commands/answer.ts';
import { createControlMessage } from '../control-line.ts';
import type { AdmissionPlan } from '../plan.ts';

/** Secrets found in messages are kept for the task at hand only. */
const FOUND_SECRET_TTL_MS = 24 * HOUR_MS;

/** Seals and stores the secrets found in a message and queues a notice to its sender, in the caller's transaction. True when it did. */
export async function storeFoundSecrets(
  db: Queryable,
  cipher: SecretSealer,
  plan: Pick<AdmissionPlan, 'envelope' | 'secrets'>,
): Promise<boolean> {
  const { found } = plan.secrets;
  if (found.length === 0) return false;
  const { id, userKey } = plan.envelope;
  const rows = found.map(({ handle, kind, value }) => {
    return { userKey, handle, kind, ciphertext: cipher.seal(value, { userKey, handle }), keptMs: FOUND_SECRET_TTL_MS };
  });
  await putSecrets(db, rows);
  await appendAudit(
    db,
    found.map(({ handle, kind }) => ({
      kind: 'secret.kept',
      actor: userKey,
      data: { handle, kind, found: true, keptMs: FOUND_SECRET_TTL_MS },
    })),
  );
  const body = toAnswerBody({ text: describeFound(found), personal: true }, plan.envelope);
  await putOutbox(db, [createControlMessage(plan.envelope, `secrets:${id}`, body)]);
  return true;
}

/** Channels can refuse to delete a message, so the text asks the sender to check. */
function describeFound(found: readonly HiddenSecret[]): string {
  const named = found.map(({ kind, handle }) => say('people.found-one', { kind: describeKind(kind), handle }));
  return say('people.found', { what: sayList(named), count: found.length });
}
