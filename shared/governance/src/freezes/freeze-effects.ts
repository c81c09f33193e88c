import { SEND_PRIORITY } from '@signalbox/contracts/conversation/envelope';
import { putLocalized } from '@signalbox/store/conversation/outbox';
import { findEffect, noteEffect } from '@signalbox/store/effects';
import { listApproverChats } from '@signalbox/store/governance/approvals';
import { readFreezeEnd, type Freeze } from '@signalbox/store/governance/freezes';
import { withTransaction, type Pool, type Queryable } from '@signalbox/store/pool';
import { findValue } from '@signalbox/store/sql';
import type { Decider } from '../approvals.ts';
import { freezeChanges, liftFreeze, type FreezeChange } from './freezes.ts';

/** What an action did. `isNew`: this action set or lifted the freeze; `freeze` is null when there was none to lift. */
interface ToldFreeze {
  readonly isNew: boolean;
  readonly freeze: Freeze | null;
}

interface FreezeAsked {
  readonly by: Decider;
  readonly threadId: string;
  readonly actionId: string;
}

interface FreezeDeps {
  readonly pool: Pool;
  notify(chatKey: string, traceId: string): Promise<void>;
  /** The zone of people who never said theirs. */
  readonly usualZone: string;
}

/** Sets and lifts freezes as the effect of an action, by the code of the commands. Twice is safe. */
export function createFreezeEffects(deps: FreezeDeps) {
  const { pool, usualZone } = deps;
  return {
    /** Reads when a freeze ends; null for words that leave it open. */
    readEnd: (until: string, threadId: string) => readFreezeEnd(pool, { until, threadId, usualZone }),
    set: (asked: FreezeAsked, freeze: Pick<Freeze, 'reason' | 'at' | 'until' | 'zone'>): Promise<ToldFreeze> =>
      change(deps, asked, (db) => freezeChanges(db, asked.by, freeze)),
    lift: (asked: FreezeAsked): Promise<ToldFreeze> => change(deps, asked, (db) => liftFreeze(db, asked.by)),
  };
}

async function change(
  { pool, notify }: FreezeDeps,
  asked: FreezeAsked,
  run: (db: Queryable) => Promise<FreezeChange>,
): Promise<ToldFreeze> {
  const { told, chats } = await withTransaction(pool, async (db) => {
    const earlier = await findEffect(db, asked.actionId);
    if (earlier) return { told: earlier.result as ToldFreeze, chats: [] }; // noted below
    const { freeze, notice } = await run(db);
    const told: ToldFreeze = { isNew: notice !== null, freeze };
    await noteEffect(db, asked.actionId, told);
    return { told, chats: notice ? await putNotices(db, asked, notice) : [] };
  });
  for (const chatKey of chats) await notify(chatKey, asked.actionId);
  return told;
}

/** Tells everybody who approves, in their language, except the chat of the order. */
async function putNotices(
  db: Queryable,
  { by, threadId, actionId }: FreezeAsked,
  notice: () => string,
): Promise<readonly string[]> {
  const here = await findValue<string>(db)`select chat_key from threads where thread_id = ${threadId}`;
  const deciders = await listApproverChats(db, 'operator', [by.userKey]);
  const chats = deciders.filter(({ chatKey }) => chatKey !== here);
  const rows = await putLocalized(
    db,
    chats.map(({ chatKey }) => chatKey),
    (chatKey) => ({
      key: `freeze:${actionId}:${chatKey}`,
      chatKey,
      userKey: chats.find((one) => one.chatKey === chatKey)?.userKey ?? null,
      traceId: actionId,
      priority: SEND_PRIORITY.control,
      body: { text: notice(), buttons: [] },
    }),
  );
  return rows.map(({ chatKey }) => chatKey);
}
