import { say } from '@signalbox/shared/errors';
import type { WakeUp } from '@signalbox/shared/contracts/topics';
import { putDeadLetter } from '@signalbox/shared/db/dead-letters';
import { moveChat, parkChat, unparkChat } from '@signalbox/shared/db/delivery';
import { admitInbox, type Admitted } from '@signalbox/shared/db/inbox';
import { redeemCode, voidCode } from '@signalbox/shared/db/invitations';
import { putOutbox, type OutboxRow } from '@signalbox/shared/db/outbox';
import { isTransient, withTransaction, type Pool, type Queryable } from '@signalbox/shared/db/pool';
import { findUser } from '@signalbox/shared/db/users';
import { PRIORITY, type OutboundBody } from '@signalbox/shared/contracts/envelope';
import { background } from '@signalbox/shared/lifecycle';
import type { Log } from '@signalbox/shared/log';
import { MINUTE_MS, sleep } from '@signalbox/shared/time';
import type { Announcer } from './announce.ts';
import type { BurstLimit } from './burst.ts';
import type { Channel, Incoming } from './channels/channel.ts';
import { answerQuestion, toBody } from './commands/answer.ts';
import { describeCode } from './commands/codes.ts';
import type { Notice } from './commands/question.ts';
import type { GatewayMetrics } from './metrics.ts';
import type { FromPerson } from './choice.ts';
import { asCode, planUpdate, type Plan } from './plan.ts';
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
  /** Somebody got a role or lost one. */
  readonly peopleChanged: () => void;
}

interface Stored {
  readonly plan: Plan;
  readonly admitted: Admitted;
  /** Chats that have something to say besides what admission itself said. */
  readonly chats: readonly string[];
  /** People whose lanes must hear of a stop. */
  readonly stops: readonly string[];
  readonly peopleChanged: boolean;
}

/** The database's clock starts a moment later than ours. */
const WAKE_AFTER_HOLD_MS = 50;
const LIMIT_TOLD_MS = 10 * MINUTE_MS;

/**
 * Admits updates in their order. Resolves once they are committed; throws when the database is away, and then the
 * channel has to give the same updates again. An update that can never be stored becomes a dead letter.
 */
export function createAdmission(deps: AdmissionDeps): (updates: readonly Incoming[]) => Promise<void> {
  const { pool, channel, log } = deps;

  const plan = async (updates: readonly FromPerson[]): Promise<readonly Plan[]> => {
    // An album is one thing to send, however many parts it comes in.
    const sendings = [...new Set(updates.map(sendingOf))];
    const within = await deps.burst.check(sendings.map((sending) => sending.split(' ', 1)[0] ?? ''));
    const window = deps.burst.window();
    return updates.flatMap((update) =>
      planUpdate(update, {
        channel: channel.name,
        bot: channel.bot,
        withinBurst: within[sendings.indexOf(sendingOf(update))] ?? true,
        fileLimitBytes: channel.fileLimitBytes,
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
    return await store(deps, plans);
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
async function store({ pool, channel }: AdmissionDeps, plans: readonly Plan[]): Promise<readonly Stored[]> {
  if (plans.every((plan) => plan.answer === null && plan.code === null)) return zip(plans, await admit(pool, plans));
  return withTransaction(pool, async (db) => {
    const tried: Plan[] = [];
    for (const plan of plans) tried.push(await tryCode(db, plan));
    const stored = zip(tried, await admit(db, tried));
    const answered: Stored[] = [];
    for (const one of stored) answered.push(await answer(db, channel, one));
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
    return one ? [{ plan, admitted: one, chats: [], stops: [], peopleChanged: false }] : [];
  });
}

/** Tries what may be a code. Words of somebody we know that only look like one stay words. */
async function tryCode(db: Queryable, plan: Plan): Promise<Plan> {
  const { code } = plan;
  if (code === null) return plan;
  const { userKey, channel, name } = plan.envelope;
  const mayBeWords = !code.sure && (await findUser(db, userKey)) !== null;
  if (code.exposed) {
    const wasCode = await voidCode(db, code.text);
    return wasCode || !mayBeWords ? asCode(plan, { kind: 'exposed-code' }, null) : plan;
  }
  const outcome = await redeemCode(db, code.text, { userKey, channel, name });
  if (mayBeWords && (outcome.kind === 'unknown' || outcome.kind === 'limited')) return plan;
  // Beyond the limit every code gets the same answer: once in ten minutes is enough.
  const again = outcome.kind === 'limited' ? `${userKey}:${Math.floor(Date.now() / LIMIT_TOLD_MS)}` : plan.envelope.id;
  return asCode(plan, { kind: 'code', outcome }, { key: `code:${again}`, text: describeCode(outcome, name) });
}

async function answer(db: Queryable, channel: Channel, stored: Stored): Promise<Stored> {
  const { plan, admitted } = stored;
  if (admitted.verdict !== 'answered' || plan.answer === null || admitted.id === null || !admitted.role) return stored;
  const { envelope } = plan;
  const asked = { inboxId: admitted.id, role: admitted.role, envelope };
  const given = await answerQuestion({ db, channel }, plan.answer, asked);
  const notices = given.notices ?? [];
  const own: Notice = { userKey: envelope.userKey, chatKey: envelope.chatKey, text: given.text };
  const line = (key: string, { userKey, chatKey }: Notice, body: OutboundBody): OutboxRow => ({
    key,
    chatKey,
    userKey,
    threadId: null,
    turnId: null,
    traceId: envelope.traceId,
    priority: PRIORITY.control,
    slot: null,
    body,
  });
  await putOutbox(db, [
    line(`reply:${envelope.id}`, own, toBody(given, envelope)),
    ...notices.map((one, n) => line(`notice:${envelope.id}:${n}`, one, { text: one.text, buttons: [] })),
  ]);
  return {
    ...stored,
    chats: [own, ...notices].map((one) => one.chatKey),
    stops: given.stops ?? [],
    peopleChanged: given.peopleChanged ?? false,
  };
}

/** Everything after the commit. */
async function finish(deps: AdmissionDeps, stored: readonly Stored[]): Promise<void> {
  const { announcer, log, metrics } = deps;
  if (stored.some((one) => one.peopleChanged)) deps.peopleChanged();
  const lanes = new Map<string, WakeUp>();
  const stops = new Set<string>();
  const chats = new Map<string, string>();
  for (const { plan, admitted, chats: said, stops: stopped } of stored) {
    const { userKey, chatKey, traceId, updateId } = plan.envelope;
    const { verdict, reason, role } = admitted;
    metrics.updates.add({ result: verdict, reason: reason ?? '' });
    log.info('update admitted', {
      traceId,
      updateId,
      userKey,
      chatKey,
      verdict,
      reason,
      role,
      asked: plan.answer?.kind,
    });
    if (verdict === 'accepted' || verdict === 'merged') {
      if (plan.admission.holdMs > 0) background(log, 'album', wakeLater(deps, plan));
      else lanes.set(userKey, { userKey, traceId });
    }
    if (verdict === 'accepted' && plan.admission.verdict === 'new') stops.add(userKey);
    for (const person of stopped) {
      lanes.set(person, { userKey: person, traceId });
      stops.add(person);
    }
    for (const chat of admitted.said ? [...said, chatKey] : said) chats.set(chat, traceId);
    background(log, 'press', settlePress(deps, plan, admitted));
  }
  await Promise.all([
    announcer.stop([...stops]),
    announcer.wakeLanes([...lanes.values()]),
    ...[...chats].map(([chatKey, traceId]) => announcer.wakeChats([chatKey], traceId)),
  ]);
}

/** Wakes the lane when an album can be taken. Should this process end before, the worker's sweeper does. */
async function wakeLater({ announcer }: AdmissionDeps, { admission, envelope }: Plan): Promise<void> {
  await sleep(admission.holdMs + WAKE_AFTER_HOLD_MS);
  await announcer.wakeLanes([{ userKey: envelope.userKey, traceId: envelope.traceId }]);
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
  return ['text', 'album-part', 'press', 'edit', 'not-text'].includes(update.kind);
}

/** Names what was sent at once: who sent it, and the album or the update. */
function sendingOf(update: FromPerson): string {
  const album = 'album' in update ? update.album : null;
  return `${update.userKey} ${album === null ? update.updateId : `album ${album}`}`;
}
