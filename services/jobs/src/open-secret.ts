import { appendAudit } from '@signalbox/shared/db/audit';
import { withTransaction, type Pool } from '@signalbox/shared/db/pool';
import { takeSecret } from '@signalbox/shared/db/secrets';
import { AppError } from '@signalbox/shared/errors';
import type { SecretCipher } from '@signalbox/shared/secrets/cipher';

/** On whose behalf a secret is opened: only their own open. */
export interface SecretOwner {
  readonly userKey: string;
  readonly threadId: string | null;
  readonly runId: string;
}

export type SecretOpener = (owner: SecretOwner, handle: string, purpose: string) => Promise<string>;

/**
 * Opens people's secrets, each use with an audit event that says what for. Throws SECRET_UNKNOWN when this person keeps none of
 * that handle, which is audited too, and SECRET_UNREADABLE when it was sealed with another key. Twice is two uses.
 */
export function createSecretOpener(deps: { readonly pool: Pool; readonly cipher: SecretCipher }): SecretOpener {
  return async (owner, handle, purpose) => {
    const value = await withTransaction(deps.pool, async (db) => {
      const { userKey, threadId, runId } = owner;
      const taken = await takeSecret(db, userKey, handle);
      // A value that cannot be opened leaves no use behind: the transaction ends with it.
      const opened = taken && deps.cipher.open(taken.ciphertext, { userKey, handle });
      const kind = opened === null ? 'secret.refused' : 'secret.used';
      const nothing = { turnId: null, actionId: runId, approvalId: null, policyVersion: null };
      await appendAudit(db, [{ kind, actor: userKey, threadId, ...nothing, data: { handle, purpose } }]);
      return opened;
    });
    if (value === null) throw new AppError('SECRET_UNKNOWN', { handle });
    return value;
  };
}
