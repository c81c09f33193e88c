import { inLanguage } from '@signalbox/messages/language';
import { msOfId, newTraceId } from '@signalbox/contracts/ids';
import { cleanName } from '@signalbox/contracts/plain-name';
import { makeStorable } from '@signalbox/contracts/storable';
import { sayError } from '@signalbox/messages/say';
import type { WakeUp } from '@signalbox/contracts/conversation/topics';
import { putDeadLetter } from '@signalbox/store/conversation/dead-letters';
import { putOutbox } from '@signalbox/store/conversation/outbox';
import { findUser, readLanguages } from '@signalbox/store/people/users';
import { moveChat, parkChat, unparkChat } from '../delivery/outgoing.ts';
import type { AdmissionResult } from './inbox.ts';
import { isDeadlock, isTransient } from '@signalbox/store/pool';
import { background } from '@signalbox/platform/lifecycle';
import type { Log } from '@signalbox/platform/log';
import { ROOT, type Tracing } from '@signalbox/platform/tracing/tracing';
import { sleep } from '@signalbox/contracts/time';
import { controlLine } from './control-line.ts';
import type { Notifier } from './notify.ts';
import type { RateLimit } from './rate-limit.ts';
import type { Incoming } from '../channels/channel.ts';
import type { GatewayMetrics } from '../metrics.ts';
import type { FromPerson } from './choice.ts';
import type { Languages } from './languages.ts';
import { planUpdate, type Plan } from './plan.ts';
import { takeSecrets } from './secrets/sent-secrets.ts';
import { createCuts } from './cuts.ts';
import { joinRest, type Joined } from './cut-text.ts';
import { challengesOf } from './secrets/typed-codes.ts';
import { answerUnnamed } from './unnamed.ts';
import { createOwnerCheck } from './vacated.ts';
import { storePlans, type Stored, type StoreParts } from './stored-plan.ts';

/*
 * update → plan (pure) → one transaction: inbox row, outcome, answer → announced → the channel may forget it
 * What happens after the commit may fail: wake-ups are repeated by sweepers, toasts are only toasts.
 */

export interface AdmissionDeps extends StoreParts {
  readonly burst: RateLimit;
  readonly languages: Languages;
  readonly notifier: Notifier;
  /** Larger voice notes are not listened to; null when none is. */
  readonly voiceLimitBytes: number | null;
  readonly log: Log;
  readonly metrics: GatewayMetrics;
  readonly tracing: Tracing;
  /** A person got a role or lost one. */
  readonly peopleChanged: () => void;
}

/** How somebody is called whose name holds no letter. */
const NAMELESS = 'there';
/** The database's clock starts a moment later than ours. */
const WAKE_AFTER_HOLD_MS = 50;
/** Two gateways that were brought the same updates in different orders wait for each other, and Postgres rolls one of them back. */
const DEADLOCK_TRIES = 3;

/**
 * Admits updates in their order. Resolves once they are committed; throws when the database is away, and then the
 * channel has to give the same updates again. An update that can never be stored becomes a dead letter.
 */
export function createAdmission(deps: AdmissionDeps): (updates: readonly Incoming[]) => Promise<void> {
  const { pool, channel, log } = deps;
  const checkOwners = createOwnerCheck({ ...deps, channel: channel.name });

  const plan = async (updates: readonly FromPerson[], isRest = false): Promise<readonly Plan[]> => {
    // An album is one thing to send, however many parts it comes in.
    const firsts = new Map<string, FromPerson>();
    for (const update of updates) if (!firsts.has(sendingOf(update))) firsts.set(sendingOf(update), update);
    const sendings = [...firsts.keys()];
    const within = isRest ? [] : await deps.burst.check([...firsts.values()]);
    const window = deps.burst.window();
    const languages = await deps.languages.of(updates);
    const challenges = await challengesOf(pool, updates);
    return updates.flatMap((sent) => {
      const named = { ...sent, name: cleanName(sent.name) || NAMELESS };
      const { update, secrets } = takeSecrets(deps.cipher, named, challenges.get(sent.userKey));
      const options = {
        channel: channel.name,
        bot: channel.bot,
        language: languages.get(update.userKey) ?? null,
        withinBurst: within[sendings.indexOf(sendingOf(update))] ?? true,
        hasToasts: channel.answerPress !== undefined,
        fileLimitBytes: channel.fileLimitBytes,
        voiceLimitBytes: channel.fetchFile ? deps.voiceLimitBytes : null,
        window,
      };
      return inLanguage(options.language, () => planUpdate(update, options, secrets)).map((one) => ({ ...one, sent }));
    });
  };

  const store = async (updates: readonly FromPerson[]): Promise<readonly Stored[]> =>
    storePlans(deps, await plan(updates));

  const admit = async (updates: readonly FromPerson[]): Promise<void> => {
    const stored = await storeAll(deps, updates, store);
    const settled = stored.filter(({ admitted }) => !isOpen(admitted));
    if (settled.length > 0) await finish(deps, settled);
    for (const { plan: one, admitted } of stored) if (isOpen(admitted)) await admitOtherwise(one, admitted);
  };

  /** What only the database knew: an edit of what was never seen, or the rest of a text that a client cut. */
  const admitOtherwise = async ({ sent }: Plan, { verdict, id }: AdmissionResult): Promise<void> => {
    if (sent.kind === 'edit' && sent.unseen) return admit([sent.unseen]);
    if (sent.kind !== 'text' || verdict !== 'rest' || id === null) return;
    const stored = await storeAll(deps, [sent], async () => {
      const joined = await joinRest(deps, id, sent, async (whole) => (await plan([whole], true))[0]);
      if (joined) return [storedOf(joined)];
      return sent.onlyRest ? [] : storePlans(deps, (await plan([sent], true)).map(apart));
    });
    await finish(deps, stored);
  };

  const cuts = createCuts();

  return async (updates) => {
    await checkOwners(updates);
    for (const update of updates) if (update.kind === 'moved') await moveChat(pool, update.from, update.to);
    let step: FromPerson[] = [];
    for (const update of updates) {
      const one = isFromPerson(update) ? update : cuts.restOf(update);
      if (one) step.push(one);
      else if (update.kind === 'ignored') ignore(deps, update);
      // What comes behind it may depend on what became of it.
      if (!one || !(cuts.note(one) || one.kind === 'edit')) continue;
      await admit(step);
      step = [];
    }
    await admit(step);
    for (const update of updates) if (update.kind === 'unnamed') await explain(deps, update);
    for (const update of updates) {
      if (update.kind !== 'membership') continue;
      log.info('membership changed', { chatKey: update.chatKey, reachable: update.reachable, reason: update.reason });
      if (!update.reachable) await parkChat(pool, update.chatKey, update.reason);
      else if ((await unparkChat(pool, update.chatKey)) > 0)
        await deps.notifier.wakeChats([update.chatKey], newTraceId());
    }
  };
}

/** Not admitted yet: the update has to come in as something else. */
function isOpen({ verdict }: AdmissionResult): boolean {
  return verdict === 'unseen' || verdict === 'rest';
}

/** A turn has taken the message that it belonged to. */
function apart(plan: Plan): Plan {
  return { ...plan, admission: { ...plan.admission, rest: false } };
}

function storedOf({ plan, admitted, isSaid }: Joined): Stored {
  const chats = isSaid ? [plan.envelope.chatKey] : [];
  return { plan, admitted, chats, stops: [], peopleChanged: false, toast: null, wakes: [] };
}

/** Plans and stores a batch; when one of its updates cannot be read or stored, the others still are. */
async function storeAll(
  deps: AdmissionDeps,
  updates: readonly FromPerson[],
  store: (updates: readonly FromPerson[]) => Promise<readonly Stored[]>,
  tries = DEADLOCK_TRIES,
): Promise<readonly Stored[]> {
  const [first] = updates;
  if (!first) return [];
  try {
    return await store(updates);
  } catch (error) {
    if (isDeadlock(error) && tries > 1) return storeAll(deps, updates, store, tries - 1);
    if (isTransient(error)) throw error;
    if (updates.length > 1) {
      const one: Stored[] = [];
      for (const update of updates) one.push(...(await storeAll(deps, [update], store)));
      return one;
    }
    await giveUp(deps, first, error);
    return [];
  }
}

/** Everything after the commit. */
async function finish(deps: AdmissionDeps, stored: readonly Stored[]): Promise<void> {
  const { notifier, log, metrics } = deps;
  for (const { plan, admitted } of stored) traceAdmission(deps, plan, admitted);
  if (stored.some((one) => one.peopleChanged)) deps.peopleChanged();
  const lanes = new Map<string, WakeUp>();
  const stops = new Set<string>();
  const chats = new Map<string, string>();
  for (const { plan, admitted, chats: said, stops: stopped, toast, wakes } of stored) {
    const { userKey, chatKey, traceId, updateId } = plan.envelope;
    const { verdict, reason, role } = admitted;
    metrics.updates.add({ result: verdict, reason: reason ?? '' });
    const told = { traceId, updateId, userKey, chatKey, verdict, reason, role };
    log.info('update admitted', { ...told, asked: plan.answer?.kind });
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
    for (const wake of wakes) lanes.set(wake.userKey, wake);
    background(
      log,
      'press',
      inLanguage(plan.language, () => settlePress(deps, plan, admitted, toast)),
    );
    // Also when it comes again: the first one may have died before.
    if (plan.secrets.isShown && role !== null) background(log, 'secret', removeShown(deps, plan));
  }
  await Promise.all([
    notifier.stop([...stops]),
    notifier.wakeLanes([...lanes.values()]),
    ...[...chats].map(([chatKey, traceId]) => notifier.wakeChats([chatKey], traceId)),
  ]);
}

/** Notes what was taken in: under the turn that it waits for, or as all that its trace is about. */
function traceAdmission({ tracing, channel }: AdmissionDeps, plan: Plan, { verdict }: AdmissionResult): void {
  if (!tracing.isOn || verdict === 'duplicate' || verdict === 'ignored') return;
  const { answer, admission, envelope } = plan;
  const until = Date.now();
  const waits = verdict === 'accepted' || answer?.kind === 'voice';
  tracing.record({
    name: 'admit',
    traceId: envelope.traceId,
    ...(waits ? { parent: ROOT } : { key: ROOT, parent: null }),
    from: msOfId(envelope.traceId) ?? until,
    until,
    attributes: {
      'signalbox.channel': channel.name,
      'signalbox.kind': admission.kind,
      'signalbox.outcome': verdict,
      'signalbox.asked': answer?.kind ?? null,
      'signalbox.command': answer?.kind === 'command' ? answer.name : null,
    },
  });
}

/** Takes away a message that shows a secret, where we may; its sender is asked to look. */
async function removeShown({ channel }: AdmissionDeps, { envelope }: Plan): Promise<void> {
  if (envelope.messageId !== null) await channel.remove?.(envelope.chatKey, envelope.messageId);
}

/** Wakes the lane when an album can be taken. Should this process end before, the worker's sweeper does. */
async function wakeLater({ notifier }: AdmissionDeps, { admission, envelope }: Plan): Promise<void> {
  await sleep(admission.holdMs + WAKE_AFTER_HOLD_MS);
  await notifier.wakeLanes([{ userKey: envelope.userKey, traceId: envelope.traceId }]);
}

/** Stops the button's spinning and takes the keyboard away: whether it worked or not, it does not work again. */
async function settlePress(
  { channel }: AdmissionDeps,
  plan: Plan,
  admitted: AdmissionResult,
  toast: string | null,
): Promise<void> {
  if (!plan.pressed) return;
  const { pressId, chatKey, messageId } = plan.pressed;
  if (admitted.verdict === 'duplicate') return channel.answerPress?.(pressId, null);
  // A card keeps its buttons until its next edit: others may still decide.
  if (toast !== null) return channel.answerPress?.(pressId, toast === '' ? null : toast);
  const worked = admitted.label !== null;
  await channel.answerPress?.(pressId, worked ? `✓ ${admitted.label}` : sayError('BUTTON_EXPIRED', {}));
  if (worked && messageId !== null) await channel.removeButtons?.(chatKey, messageId);
}

function ignore({ channel, log, metrics }: AdmissionDeps, update: Extract<Incoming, { kind: 'ignored' }>): void {
  metrics.updates.add({ result: update.isUnread ? 'unread' : 'ignored', reason: update.reason });
  if (update.isUnread) log.warn('update not read', { updateId: update.updateId, reason: update.reason });
  else log.debug('update ignored', { updateId: update.updateId, reason: update.reason });
  if (update.pressId === null) return;
  const answered = channel.answerPress?.(update.pressId, sayError('BUTTON_EXPIRED', {}));
  if (answered) background(log, 'press', answered);
}

/** Whoever writes unnamed waits for something that will not happen. */
async function explain(
  { pool, notifier, metrics }: AdmissionDeps,
  update: Extract<Incoming, { kind: 'unnamed' }>,
): Promise<void> {
  metrics.updates.add({ result: 'ignored', reason: 'unnamed' });
  if (await answerUnnamed(pool, update)) await notifier.wakeChats([update.chatKey], newTraceId());
}

/** One update that cannot be stored must not hold up all that come after it. Its sender hears of it, where they have a role. */
async function giveUp(deps: AdmissionDeps, update: FromPerson, error: unknown): Promise<void> {
  const { pool, channel, log, metrics, notifier } = deps;
  metrics.updates.add({ result: 'failed', reason: 'not storable' });
  const { updateId, userKey, chatKey, chatKind, kind } = makeStorable(update);
  const id = `${channel.name}:${channel.bot}:${updateId}`;
  const body = { updateId, kind };
  const ref = await putDeadLetter(pool, { source: 'inbound', ref: id, userKey, reason: 'not storable', body });
  log.error('update could not be admitted', { updateId, userKey, ref, error });
  const isKnown = chatKind === 'private' && kind !== 'mode' && (await findUser(pool, userKey)) !== null;
  if (!isKnown) return;
  const [language] = await readLanguages(pool, [{ userKey, chatKey }]);
  const traceId = newTraceId();
  const text = inLanguage(language ?? null, () => sayError('INBOUND_REFUSED', { ref }));
  await putOutbox(pool, [controlLine({ chatKey, userKey, traceId }, `not-storable:${id}`, { text, buttons: [] })]);
  await notifier.wakeChats([chatKey], traceId);
}

function isFromPerson(update: Incoming): update is FromPerson {
  return ['text', 'album-part', 'press', 'edit', 'mode', 'not-text'].includes(update.kind);
}

/** Names what was sent at once: who sent it, and the album or the update. */
function sendingOf(update: FromPerson): string {
  const album = 'album' in update ? update.album : null;
  return `${update.userKey} ${album === null ? update.updateId : `album ${album}`}`;
}
