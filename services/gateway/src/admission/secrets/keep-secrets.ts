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
import { toBody } from '../../commands/answer.ts';
import { controlLine } from '../control-line.ts';
import type { Plan } from '../plan.ts';

/** What was sent by accident is kept so long: enough to go on with what it was sent for. */
const FOUND_KEPT_MS = 24 * HOUR_MS;

/**
 * Stores what was found in a message, sealed, and tells its sender once; in the transaction that puts the message into the inbox.
 * Returns whether the chat has something to say.
 */
export async function keepFound(
  db: Queryable,
  cipher: SecretSealer,
  plan: Pick<Plan, 'envelope' | 'secrets'>,
): Promise<boolean> {
  const { found } = plan.secrets;
  if (found.length === 0) return false;
  const { id, userKey } = plan.envelope;
  const rows = found.map(({ handle, kind, value }) => {
    return { userKey, handle, kind, ciphertext: cipher.seal(value, { userKey, handle }), keptMs: FOUND_KEPT_MS };
  });
  await putSecrets(db, rows);
  await appendAudit(
    db,
    found.map(({ handle, kind }) => ({
      kind: 'secret.kept',
      actor: userKey,
      data: { handle, kind, found: true, keptMs: FOUND_KEPT_MS },
    })),
  );
  const body = toBody({ text: describeFound(found), personal: true }, plan.envelope);
  await putOutbox(db, [controlLine(plan.envelope, `secrets:${id}`, body)]);
  return true;
}

/** Whether a message can be taken away is for the channel to say, and it may say so too late: the sender is asked to look. */
function describeFound(found: readonly HiddenSecret[]): string {
  const named = found.map(({ kind, handle }) => say('people.found-one', { kind: describeKind(kind), handle }));
  return say('people.found', { what: sayList(named), count: found.length });
}
