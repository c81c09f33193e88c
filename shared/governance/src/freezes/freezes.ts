import { toPlainName } from '@signalbox/contracts/plain-name';
import { describeFreeze } from '@signalbox/messages/describe-freeze';
import { say } from '@signalbox/messages/say';
import { appendAudit } from '@signalbox/store/audit/audit';
import { findFreeze, putFreeze, removeFreeze, type Freeze } from '@signalbox/store/governance/freezes';
import type { Queryable } from '@signalbox/store/pool';
import type { Decider } from '../approvals.ts';

/** What became of an order to freeze or to lift. `notice`: what everybody who approves is told; null when nothing changed. */
export interface FreezeChange {
  readonly freeze: Freeze | null;
  readonly notice: (() => string) | null;
}

const MAX_REASON_LENGTH = 300;

/** Stops everything but look-ups, in the caller's transaction. The command and the tool both come here. A freeze in force stays as it is. */
export async function freezeChanges(
  db: Queryable,
  { userKey: by, name, role }: Decider,
  asked: Pick<Freeze, 'reason' | 'at' | 'until' | 'zone'>,
): Promise<FreezeChange> {
  const freeze = { ...asked, by, name, reason: asked.reason.slice(0, MAX_REASON_LENGTH) };
  if (!(await putFreeze(db, freeze))) return { freeze: await findFreeze(db), notice: null };
  const { reason, until } = freeze;
  const data = { role, reason, ...(until === null ? {} : { until }) };
  await appendAudit(db, [{ kind: 'freeze.set', actor: by, data }]);
  return { freeze, notice: () => say('control.frozen-by', { ...describeFreeze(freeze), name: toPlainName(name) }) };
}

/** Lifts the freeze in force, in the caller's transaction. The command and the tool both come here. */
export async function liftFreeze(db: Queryable, { userKey, name, role }: Decider): Promise<FreezeChange> {
  const freeze = await removeFreeze(db);
  if (!freeze) return { freeze: null, notice: null };
  await appendAudit(db, [
    { kind: 'freeze.lifted', actor: userKey, data: { role, setBy: freeze.by, reason: freeze.reason } },
  ]);
  return { freeze, notice: () => say('control.unfrozen-by', { name: toPlainName(name) }) };
}
