import { appendAudit } from '@signalbox/store/audit/audit';
import { withTransaction, type Pool } from '@signalbox/store/pool';
import { readSealedSecret } from '@signalbox/store/secrets';
import { AppError } from '@signalbox/contracts/errors';
import type { SecretCipher } from '@signalbox/safety/secrets/cipher';

/** One use of a secret. */
export interface SecretUse {
  /** Who uses the secret: a person's key, or `system` for scheduled work. */
  readonly actor: string;
  readonly threadId: string | null;
  readonly runId: string;
  /** Owner of the secret; audited when the actor is somebody else. */
  readonly owner: string;
  readonly handle: string;
  readonly purpose: string;
}

export type SecretOpener = (use: SecretUse) => Promise<string>;

/** Opens secrets and audits each use with its purpose. Throws SECRET_UNKNOWN (audited too), SECRET_UNREADABLE. */
export function createSecretOpener(deps: { readonly pool: Pool; readonly cipher: SecretCipher }): SecretOpener {
  return async ({ actor, threadId, runId, owner, handle, purpose }) => {
    const value = await withTransaction(deps.pool, async (db) => {
      const taken = await readSealedSecret(db, owner, handle);
      // An unreadable secret rolls the transaction back, so no use is recorded.
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
