import { runInLanguage } from '@signalbox/messages/language';
import { readIdTime, newTraceId } from '@signalbox/contracts/ids';
import { cleanName } from '@signalbox/contracts/plain-name';
import { makeStorable } from '@signalbox/contracts/storable';
import { sayError } from '@signalbox/messages/say';
import type { WakeUp } from '@signalbox/contracts/conversation/topics';
import { putDeadLetter } from '@signalbox/store/conversation/dead-letters';
import { putOutbox } from '@signalbox/store/conversation/outbox';
import { findUser, readLanguages } from '@signalbox/store/people/users';
import { moveChat, parkChat, unparkChat } from '../delivery/outgoing.ts';
import type { AdmissionResult } from '../rows/inbox.ts';
import { isDeadlock, isTransient } from '@signalbox/store/pool';
import { runInBackground } from '@signalbox/platform/lifecycle';
import type { Log } from '@signalbox/platform/log';
import { parseTraceparent } from '@signalbox/platform/tracing/trace-context';
import { ROOT_SPAN_KEY, type Tracing } from '@signalbox/platform/tracing/tracing';
import { sleep } from '@signalbox/contracts/time';
import { findReaderLanguages } from './adopt-language.ts';
import { createControlMessage } from './control-line.ts';
import type { Notifier } from './notify.ts';
import type { RateLimit } from './rate-limit.ts';
import type { IncomingUpdate } from '../channels/channel.ts';
import type { GatewayMetrics } from '../metrics.ts';
import type { PersonUpdate } from './choice.ts';
import type { LanguageCache } from './language-cache.ts';
import type { ChallengeStore } from '@signalbox/plugins/plugin';
import { planUpdate, type AdmissionPlan } from './plan.ts';
import { extractSecrets, findChallenges } from './secrets/sent-secrets.ts';
import { createSplitTracker } from './cuts.ts';
import { appendSplitText, type JoinedText } from './cut-text.ts';
import { answerAnonymousSender } from './unnamed.ts';
import { renewPressedCard } from './presses/incident-press.ts';
import { createOwnerCheck } from './vacated.ts';
import { storePlans, type StoredPlan, type StoreDeps } from './stored-plan.ts';

/*
 * update → plan (pure) → one transaction: inbox row, outcome, answer → notified → the channel may forget the update
 *
 * Failures after the commit are harmless: sweepers repeat wake-ups, and a lost toast is only a lost toast.
 */

export interface AdmissionDeps extends StoreDeps {
  readonly rateLimit: RateLimit;
  readonly languages: LanguageCache;
  readonly challenges: ChallengeStore;
  readonly notifier: Notifier;
  /** Size limit of voice notes; null when no transcriber is configured. */
  readonly voiceLimitBytes: number | null;
  readonly log: Log;
  readonly metrics: GatewayMetrics;
  readonly tracing: Tracing;
  /** Called after a person got or lost a role. */
  readonly onPeopleChanged: () => void;
}

/** Used instead of a name that has no letters. */
const FALLBACK_NAME = 'there';
/** Added to a wait because the database clock may run a moment behind ours. */
const WAKE_AFTER_HOLD_MS = 50;
/** Kinds of updates that may end without an answer. */
const WITHOUT_TYPING: ReadonlySet<string> = new Set(['command', 'mode']);
/** Gateways that admit the same updates in different orders can deadlock; Postgres then rolls one back. */
const DEADLOCK_TRIES = 3;

/** Admits updates in order; resolves once they are committed. Throws when Postgres is away: the channel must deliver them again. */
export function createUpdateAdmitter(deps: AdmissionDeps): (updates: readonly IncomingUpdate[]) => Promise<void> {
  const { pool, channel, log } = deps;
  const checkOwners = createOwnerCheck({ ...deps, channel: channel.name });

  const plan = async (updates: readonly PersonUpdate[], isRest = false): Promise<readonly AdmissionPlan[]> => {
    // The rate limit counts an album as one message.
    const firstUpdates = new Map<string, PersonUpdate>();
    for (const update of updates)
      if (!firstUpdates.has(getSendingKey(update))) firstUpdates.set(getSendingKey(update), update);
    const sendingKeys = [...firstUpdates.keys()];
    const within = isRest ? [] : await deps.rateLimit.check([...firstUpdates.values()]);
    const window = deps.rateLimit.window();
    const languages = await findReaderLanguages(deps, updates);
    const challenges = await findChallenges(pool, deps.challenges, updates);
    return updates.flatMap((sent) => {
      const named = { ...sent, name: cleanName(sent.name) || FALLBACK_NAME };
      const { update, secrets } = extractSecrets(deps.cipher, named, challenges.get(sent.userKey));
      const options = {
        channel: channel.name,
        bot: channel.bot,
        language: languages.get(update.userKey) ?? null,
        withinLimit: within[sendingKeys.indexOf(getSendingKey(update))] ?? true,
        hasToasts: channel.answerPress !== undefined,
        fileLimitBytes: channel.fileLimitBytes,
        voiceLimitBytes: channel.fetchFile ? deps.voiceLimitBytes : null,
        window,
      };
      return runInLanguage(options.language, () => planUpdate(update, options, secrets)).map((one) => ({
        ...one,
        sent,
      }));
    });
  };

  const store = async (updates: readonly PersonUpdate[]): Promise<readonly StoredPlan[]> =>
    storePlans(deps, await plan(updates));

  const admit = async (updates: readonly PersonUpdate[]): Promise<void> => {
    const stored = await storeAll(deps, updates, store);
    const settled = stored.filter(({ admitted }) => !needsReadmission(admitted));
    if (settled.length > 0) await notifyStored(deps, settled);
    for (const { plan: one, admitted } of stored) if (needsReadmission(admitted)) await readmit(one, admitted);
  };

  /** Admits an update that only the database could classify: an edit of an unseen message, or the rest of a split text. */
  const readmit = async ({ sent }: AdmissionPlan, { verdict, id }: AdmissionResult): Promise<void> => {
    if (sent.kind === 'edit' && sent.unseen) return admit([sent.unseen]);
    if (sent.kind !== 'text' || verdict !== 'rest' || id === null) return;
    const stored = await storeAll(deps, [sent], async () => {
      const joined = await appendSplitText(deps, id, sent, async (whole) => (await plan([whole], true))[0]);
      if (joined) return [toStored(joined)];
      if (sent.onlyRest) return [];
      // A turn has already taken the message that this rest continues, so the rest becomes a message of its own.
      const separate = (await plan([sent], true)).map((one) => ({
        ...one,
        admission: { ...one.admission, rest: false },
      }));
      return storePlans(deps, separate);
    });
    await notifyStored(deps, stored);
  };

  const cuts = createSplitTracker();

  return async (updates) => {
    await checkOwners(updates);
    for (const update of updates) if (update.kind === 'moved') await moveChat(pool, update.from, update.to);
    let batch: PersonUpdate[] = [];
    for (const update of updates) {
      const one = isPersonUpdate(update) ? update : cuts.asRest(update);
      if (one) batch.push(one);
      else if (update.kind === 'ignored') ignore(deps, update);
      // Later updates may depend on the result of this one, so it is admitted first.
      if (!one || !(cuts.note(one) || one.kind === 'edit')) continue;
      await admit(batch);
      batch = [];
    }
    await admit(batch);
    for (const update of updates) if (update.kind === 'unnamed') await answerUnnamedSender(deps, update);
    for (const update of updates) {
      if (update.kind !== 'membership') continue;
      log.info('membership changed', { chatKey: update.chatKey, reachable: update.reachable, reason: update.reason });
      if (!update.reachable) await parkChat(pool, update.chatKey, update.reason);
      else if ((await unparkChat(pool, update.chatKey)) > 0)
        await deps.notifier.wakeChats([update.chatKey], newTraceId());
    }
  };
}

function needsReadmission({ verdict }: AdmissionResult): boolean {
  return verdict === 'unseen' || verdict === 'rest';
}

function toStored({ plan, admitted, isSaid }: JoinedText): StoredPlan {
  const chats = isSaid ? [plan.envelope.chatKey] : [];
  return { plan, admitted, chats, stops: [], peopleChanged: false, toast: null, wakes: [] };
}

async function storeAll(
  deps: AdmissionDeps,
  updates: readonly PersonUpdate[],
  store: (updates: readonly PersonUpdate[]) => Promise<readonly StoredPlan[]>,
  tries = DEADLOCK_TRIES,
): Promise<readonly StoredPlan[]> {
  const [first] = updates;
  if (!first) return [];
  try {
    return await store(updates);
  } catch (error) {
    if (isDeadlock(error) && tries > 1) return storeAll(deps, updates, store, tries - 1);
    if (isTransient(error)) throw error;
    if (updates.length > 1) {
      const one: StoredPlan[] = [];
      for (const update of updates) one.push(...(await storeAll(deps, [update], store)));
      return one;
    }
    await deadLetter(deps, first, error);
    return [];
  }
}

async function notifyStored(deps: AdmissionDeps, stored: readonly StoredPlan[]): Promise<void> {
  const { notifier, log, metrics } = deps;
  for (const { plan, admitted } of stored) traceAdmission(deps, plan, admitted);
  if (stored.some((one) => one.peopleChanged)) deps.onPeopleChanged();
  const lanes = new Map<string, WakeUp>();
  const stops = new Set<string>();
  const chats = new Map<string, string>();
  const typing = new Map<string, string>();
  for (const { plan, admitted, chats: said, stops: stopped, toast, wakes } of stored) {
    const { userKey, chatKey, traceId, updateId } = plan.envelope;
    const { verdict, reason, role } = admitted;
    metrics.updates.add({ result: verdict, reason: reason ?? '' });
    const logFields = { traceId, updateId, userKey, chatKey, verdict, reason, role };
    log.info('update admitted', { ...logFields, asked: plan.answer?.kind });
    if (verdict === 'accepted' || verdict === 'merged') {
      if (plan.admission.holdMs > 0) runInBackground(log, 'album', wakeLater(deps, plan));
      else lanes.set(userKey, { userKey, traceId });
    }
    if (verdict === 'accepted' && !WITHOUT_TYPING.has(plan.admission.kind)) typing.set(chatKey, traceId);
    if (verdict === 'accepted' && plan.admission.verdict === 'new') stops.add(userKey);
    for (const person of stopped) {
      lanes.set(person, { userKey: person, traceId });
      stops.add(person);
    }
    for (const chat of admitted.said ? [...said, chatKey] : said) chats.set(chat, traceId);
    for (const wake of wakes) lanes.set(wake.userKey, wake);
    runInBackground(
      log,
      'press',
      runInLanguage(plan.language, () => settlePress(deps, plan, admitted, toast)),
    );
    // A repeated update does this too: the process that admitted it first may have died before this line.
    if (plan.secrets.isShown && role !== null) runInBackground(log, 'secret', deleteShownSecret(deps, plan));
  }
  for (const [chatKey, traceId] of typing) notifier.showTyping(chatKey, traceId);
  await Promise.all([
    notifier.stop([...stops]),
    notifier.wakeLanes([...lanes.values()]),
    ...[...chats].map(([chatKey, traceId]) => notifier.answerChats([chatKey], traceId)),
  ]);
}

/** Records the span of an admission: below its turn, or as the root span when no turn follows. */
function traceAdmission({ tracing, channel }: AdmissionDeps, plan: AdmissionPlan, { verdict }: AdmissionResult): void {
  if (!tracing.isOn || verdict === 'duplicate' || verdict === 'ignored') return;
  const { answer, admission, envelope } = plan;
  const until = Date.now();
  const waits = verdict === 'accepted' || answer?.kind === 'voice';
  tracing.record({
    name: 'admit',
    kind: 'server',
    traceId: envelope.traceId,
    ...(waits ? { parent: ROOT_SPAN_KEY } : { key: ROOT_SPAN_KEY, parent: null }),
    // The id of another program's trace holds no time.
    from: envelope.traceparent === undefined ? (readIdTime(envelope.traceId) ?? until) : until,
    until,
    ...(waits ? {} : { remote: parseTraceparent(envelope.traceparent) }),
    attributes: {
      'signalbox.channel': channel.name,
      'signalbox.kind': admission.kind,
      'signalbox.outcome': verdict,
      'signalbox.asked': answer?.kind ?? null,
      'signalbox.command': answer?.kind === 'command' ? answer.name : null,
    },
  });
}

async function deleteShownSecret({ channel }: AdmissionDeps, { envelope }: AdmissionPlan): Promise<void> {
  if (envelope.messageId !== null) await channel.remove?.(envelope.chatKey, envelope.messageId);
}

/** Wakes the sender's lane after the album's hold time. If this process ends first, the worker's sweeper does it. */
async function wakeLater({ notifier }: AdmissionDeps, { admission, envelope }: AdmissionPlan): Promise<void> {
  await sleep(admission.holdMs + WAKE_AFTER_HOLD_MS);
  await notifier.wakeLanes([{ userKey: envelope.userKey, traceId: envelope.traceId }]);
}

/** Stops the button's spinner and removes the keyboard: a button works only once. The card of an incident keeps its buttons. */
async function settlePress(
  { channel, pool, notifier }: AdmissionDeps,
  plan: AdmissionPlan,
  admitted: AdmissionResult,
  toast: string | null,
): Promise<void> {
  if (!plan.pressed) return;
  const { pressId, chatKey, messageId } = plan.pressed;
  if (admitted.verdict === 'duplicate') return channel.answerPress?.(pressId, null);
  // An approval card keeps its buttons until its next edit: other people may still decide.
  if (toast !== null) return channel.answerPress?.(pressId, toast === '' ? null : toast);
  const worked = admitted.label !== null;
  await channel.answerPress?.(pressId, worked ? `✓ ${admitted.label}` : sayError('BUTTON_EXPIRED', {}));
  if (!worked || messageId === null) return;
  const cards = await renewPressedCard(pool, plan);
  if (cards === null) await channel.removeButtons?.(chatKey, messageId);
  else await notifier.answerChats(cards, plan.envelope.traceId);
}

function ignore({ channel, log, metrics }: AdmissionDeps, update: Extract<IncomingUpdate, { kind: 'ignored' }>): void {
  metrics.updates.add({ result: update.isUnread ? 'unread' : 'ignored', reason: update.reason });
  if (update.isUnread) log.warn('update not read', { updateId: update.updateId, reason: update.reason });
  else log.debug('update ignored', { updateId: update.updateId, reason: update.reason });
  if (update.pressId === null) return;
  const answered = channel.answerPress?.(update.pressId, sayError('BUTTON_EXPIRED', {}));
  if (answered) runInBackground(log, 'press', answered);
}

/** Explains to an anonymous sender why the message is ignored. */
async function answerUnnamedSender(
  { pool, notifier, metrics }: AdmissionDeps,
  update: Extract<IncomingUpdate, { kind: 'unnamed' }>,
): Promise<void> {
  metrics.updates.add({ result: 'ignored', reason: 'unnamed' });
  if (await answerAnonymousSender(pool, update)) await notifier.answerChats([update.chatKey], newTraceId());
}

/** Dead-letters an update that cannot be stored, so that it does not block later ones. Notifies a sender who has a role. */
async function deadLetter(deps: AdmissionDeps, update: PersonUpdate, error: unknown): Promise<void> {
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
  const text = runInLanguage(language ?? null, () => sayError('INBOUND_REFUSED', { ref }));
  await putOutbox(pool, [
    createControlMessage({ chatKey, userKey, traceId }, `not-storable:${id}`, { text, buttons: [] }),
  ]);
  await notifier.answerChats([chatKey], traceId);
}

function isPersonUpdate(update: IncomingUpdate): update is PersonUpdate {
  return ['text', 'album-part', 'press', 'edit', 'mode', 'not-text'].includes(update.kind);
}

/** Parts of one album share a key; any other update has a key of its own. */
function getSendingKey(update: PersonUpdate): string {
  const album = 'album' in update ? update.album : null;
  return `${update.userKey} ${album === null ? update.updateId : `album ${album}`}`;
}
