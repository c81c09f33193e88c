import { appendAudit } from '@signalbox/store/audit/audit';
import { withTransaction, type Pool } from '@signalbox/store/pool';
import { takeSecret } from '@signalbox/store/secrets';
import { AppError } from '@signalbox/contracts/errors';
import type { SecretCipher } from '@signalbox/safety/secrets/cipher';

/** One use of a secret. */
export interface SecretUse {
  /** Whose work needs it: a person's key, or `system` for what a schedule started. */
  readonly actor: string;
  readonly threadId: string | null;
  readonly runId: string;
  /** Whose secret it is. Another one than the actor stands in the audit event besides. */
  readonly owner: string;
  readonly handle: string;
  readonly purpose: string;
}

export type SecretOpener = (use: SecretUse) => Promise<string>;

/**
 * Opens people's secrets, each use with an audit event that says what for. Throws SECRET_UNKNOWN when their owner keeps none of
 * that handle, which is audited too, and SECRET_UNREADABLE when it was sealed with another key. Twice is two uses.
 */
export function createSecretOpener(deps: { readonly pool: Pool; readonly cipher: SecretCipher }): SecretOpener {
  return async ({ actor, threadId, runId, owner, handle, purpose }) => {
    const value = await withTransaction(deps.pool, async (db) => {
      const taken = await takeSecret(db, owner, handle);
      // A value that cannot be opened leaves no use behind: the transaction ends with it.
      const opened = taken && deps.cipher.open(taken.ciphertext, { userKey: owner, handle });
      const kind = opened === null ? 'secret.refused' : 'secret.used';
      const data = { handle, purpose, ...(owner === actor ? {} : { owner }) };
      await appendAudit(db, [{ kind, actor, threadId, actionId: runId, data }]);
      return opened;
    });
    if (value === null) throw new AppError('SECRET_UNKNOWN', { handle });
    return value;
  };
}
