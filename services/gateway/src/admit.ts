import { say } from '@signalbox/shared/errors';
import type { WakeUp } from '@signalbox/shared/contracts/topics';
import { putDeadLetter } from '@signalbox/shared/db/dead-letters';
import { moveChat, parkChat, unparkChat } from '@signalbox/shared/db/delivery';
import { admitInbox, type Admitted } from '@signalbox/shared/db/inbox';
import { putOutbox, type OutboxRow } from '@signalbox/shared/db/outbox';
import { redeemOwnerCode } from '@signalbox/shared/db/owner-code';
import { isTransient, withTransaction, type Pool, type Queryable } from '@signalbox/shared/db/pool';
import { PRIORITY } from '@signalbox/shared/contracts/envelope';
import { background } from '@signalbox/shared/lifecycle';
import type { Log } from '@signalbox/shared/log';
import type { Announcer } from './announce.ts';
import type { BurstLimit } from './burst.ts';
import type { Channel, Incoming } from './channels/channel.ts';
import { answerCommand } from './command.ts';
import type { GatewayMetrics } from './metrics.ts';
import { planUpdate, type FromPerson, type Plan } from './plan.ts';
import { pressed } from './words.ts';

/*
 * update → plan (pure) → one transaction: inbox row, outcome, answer → announced → the channel may forget it
 * What happens after the commit may fail: wake-ups are repeated by sweepers, toasts are only toasts.
 */

export interface AdmissionDeps {
  readonly pool: Pool;
  readonly channel: Channel;
  readonly burst: BurstLimit;
  readonly announcer: Announcer;
  readonly log: Log;
  readonly metrics: GatewayMetrics;
}

interface Stored {
  readonly plan: Plan;
  readonly admitted: Admitted;
  readonly answered: boolean;
  readonly stops: boolean;
}

/**
 * Admits updates in their order. Resolves once they are committed; throws when the database is away, and then the
 * channel has to give the same updates again. An update that can never be stored becomes a dead letter.
 */
export function createAdmission(deps: AdmissionDeps): (updates: readonly Incoming[]) => Promise<void> {
  const { pool, channel, log } = deps;

  const plan = async (updates: readonly FromPerson[]): Promise<readonly Plan[]> => {
    const within = await deps.burst.check(updates.map((update) => update.userKey));
    const window = deps.burst.window();
    return updates.flatMap((update, place) =>
      planUpdate(update, {
        channel: channel.name,
        bot: channel.bot,
        withinBurst: within[place] ?? true,
        window,
      }),
    );
  };

  return async (updates) => {
    for (const update of updates) if (update.kind === 'ignored') ignore(deps, update);
    for (const update of updates) if (update.kind === 'moved') await moveChat(pool, update.from, update.to);
    const plans = await plan(updates.filter(isFromPerson));
    if (plans.length > 0) await finish(deps, await storeAll(deps, plans));
    for (const update of updates) {
      if (update.kind !== 'membership') continue;
      log.info('membership changed', { chatKey: update.chatKey, reachable: update.reachable, reason: update.reason });
      if (update.reachable) await unparkChat(pool, update.chatKey);
      else await parkChat(pool, update.chatKey, update.reason);
    }
  };
}

/** Stores a batch; when one of its updates cannot be stored, the others still are. */
async function storeAll(deps: AdmissionDeps, plans: readonly Plan[]): Promise<readonly Stored[]> {
  try {
    return await store(deps.pool, plans);
  } catch (error) {
    if (isTransient(error)) throw error;
    if (plans.length > 1) {
      const one: Stored[] = [];
      for (const plan of plans) one.push(...(await storeAll(deps, [plan])));
      return one;
    }
    await giveUp(deps, plans[0], error);
    return [];
  }
}

/** The hot path is one call; only commands and codes need a transaction around it. */
async function store(pool: Pool, plans: readonly Plan[]): Promise<readonly Stored[]> {
  if (plans.every((plan) => plan.answer === null && plan.code === null)) return zip(plans, await admit(pool, plans));
  return withTransaction(pool, async (db) => {
    const redeemed: Plan[] = [];
    for (const plan of plans) redeemed.push(await redeem(db, plan));
    const stored = zip(redeemed, await admit(db, redeemed));
    const answered: Stored[] = [];
    for (const one of stored) answered.push(await answer(db, one));
    return answered;
  });
}

function admit(db: Queryable, plans: readonly Plan[]): Promise<readonly Admitted[]> {
  return admitInbox(
    db,
    plans.map((plan) => plan.admission),
  );
}

function zip(plans: readonly Plan[], admitted: readonly Admitted[]): readonly Stored[] {
  return plans.flatMap((plan, place) => {
    const one = admitted[place];
    return one ? [{ plan, admitted: one, answered: false, stops: false }] : [];
  });
}

/** A code that is the current one makes its sender the admin; any other stays what it was: text. */
async function redeem(db: Queryable, plan: Plan): Promise<Plan> {
  if (plan.code === null) return plan;
  const { userKey, channel, name } = plan.envelope;
  if (!(await redeemOwnerCode(db, plan.code, { userKey, channel, name }))) return plan;
  const envelope = { ...plan.envelope, text: '/start' };
  return { ...plan, answer: 'owner', envelope, admission: { ...plan.admission, envelope, verdict: 'answer' } };
}

async function answer(db: Queryable, stored: Stored): Promise<Stored> {
  const { plan, admitted } = stored;
  if (admitted.verdict !== 'answered' || plan.answer === null || admitted.id === null || !admitted.role) return stored;
  const asked = { inboxId: admitted.id, role: admitted.role, envelope: plan.envelope };
  const { text, stops } = await answerCommand(db, plan.answer, asked);
  const { id, chatKey, userKey, traceId } = plan.envelope;
  const row: OutboxRow = {
    key: `reply:${id}`,
    chatKey,
    userKey,
    threadId: null,
    turnId: null,
    traceId,
    priority: PRIORITY.control,
    slot: null,
    body: { text, buttons: [] },
  };
  await putOutbox(db, [row]);
  return { ...stored, answered: true, stops };
}

/** Everything after the commit. */
async function finish(deps: AdmissionDeps, stored: readonly Stored[]): Promise<void> {
  const { announcer, log, metrics } = deps;
  const lanes = new Map<string, WakeUp>();
  const stops = new Set<string>();
  const chats = new Map<string, string>();
  for (const { plan, admitted, answered, stops: isStop } of stored) {
    const { userKey, chatKey, traceId, updateId } = plan.envelope;
    const { verdict, reason, role } = admitted;
    metrics.updates.add({ result: verdict, reason: reason ?? '' });
    log.info('update admitted', { traceId, updateId, userKey, chatKey, verdict, reason, role, command: plan.answer });
    if (verdict === 'accepted' || isStop) lanes.set(userKey, { userKey, traceId });
    if (isStop || (verdict === 'accepted' && plan.admission.verdict === 'new')) stops.add(userKey);
    if (answered || admitted.said) chats.set(chatKey, traceId);
    background(log, 'press', settlePress(deps, plan, admitted));
  }
  await Promise.all([
    announcer.stop([...stops]),
    announcer.wakeLanes([...lanes.values()]),
    ...[...chats].map(([chatKey, traceId]) => announcer.wakeChats([chatKey], traceId)),
  ]);
}

/** Stops the button's spinning and takes the keyboard away: whether it worked or not, it does not work again. */
async function settlePress({ channel }: AdmissionDeps, plan: Plan, admitted: Admitted): Promise<void> {
  if (!plan.pressed) return;
  const { pressId, chatKey, messageId } = plan.pressed;
  if (admitted.verdict === 'duplicate') return channel.answerPress(pressId, null);
  const worked = admitted.label !== null;
  await channel.answerPress(pressId, worked ? pressed(admitted.label) : say('BUTTON_EXPIRED', {}));
  if (worked && messageId !== null) await channel.removeButtons(chatKey, messageId);
}

function ignore({ channel, log, metrics }: AdmissionDeps, update: Extract<Incoming, { kind: 'ignored' }>): void {
  metrics.updates.add({ result: 'ignored', reason: update.reason });
  log.debug('update ignored', { updateId: update.updateId, reason: update.reason });
  if (update.pressId === null) return;
  background(log, 'press', channel.answerPress(update.pressId, say('BUTTON_EXPIRED', {})));
}

/** One update that the database refuses must not hold up all that come after it. */
async function giveUp({ pool, log, metrics }: AdmissionDeps, plan: Plan | undefined, error: unknown): Promise<void> {
  if (!plan) return;
  const { id, userKey, traceId } = plan.envelope;
  metrics.updates.add({ result: 'failed', reason: 'not storable' });
  const body = { updateId: plan.envelope.updateId, kind: plan.admission.kind };
  const ref = await putDeadLetter(pool, { source: 'inbound', ref: id, userKey, reason: 'not storable', body });
  log.error('update could not be admitted', { traceId, updateId: plan.envelope.updateId, ref, error });
}

function isFromPerson(update: Incoming): update is FromPerson {
  return update.kind === 'text' || update.kind === 'press' || update.kind === 'not-text';
}
