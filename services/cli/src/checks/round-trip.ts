import { randomBytes } from 'node:crypto';
import { SEND_PRIORITY, type OutboundBody } from '@signalbox/contracts/conversation/envelope';
import { newTraceId } from '@signalbox/contracts/ids';
import { SECOND_MS, abortAfter, sleep } from '@signalbox/contracts/time';
import { sayDuration } from '@signalbox/messages/duration';
import { runInLanguage } from '@signalbox/messages/language';
import { say } from '@signalbox/messages/say';
import { closeAll, type Closable } from '@signalbox/platform/lifecycle';
import { createQueue } from '@signalbox/platform/queue/queue';
import { RunStore } from '@signalbox/store/turns/runs';
import { putOutbox } from '@signalbox/store/conversation/outbox';
import { findRecipients, type Recipient } from '@signalbox/store/people/recipients';
import { findUser, readLanguages } from '@signalbox/store/people/users';
import type { Pool } from '@signalbox/store/pool';
import {
  isTestEventSealed,
  putTestFile,
  putTestIncident,
  readDelivery,
  readCallbackProgram,
  removeTestData,
} from '@signalbox/store/round-trip';
import { recordChange } from '../actor.ts';
import { InputError, UsageError, type CommandContext } from '../command.ts';
import { createFailure, createOk, getReason, type CheckResult } from './finding.ts';

/** Deadlines: a gateway delivers in a second and a watcher runs every fifteen, but a busy machine needs longer. */
const DELIVERY_MS = 30 * SECOND_MS;
const INCIDENT_MS = 60 * SECOND_MS;
const JOB_MS = 60 * SECOND_MS;
const SEAL_MS = 30 * SECOND_MS;
const POLL_MS = 250;

/** Tries one feature of the product. Returns a success sentence; throws the failure. */
type Attempt = (signal: AbortSignal) => Promise<string>;

/** One round trip test; the rows that it creates are named after `id`. */
interface RoundTrip {
  readonly id: string;
  readonly context: CommandContext;
  readonly pool: Pool;
  readonly recipient: Recipient;
}

/**
 * Tests every feature with a real person, who gets a message of each. Throws UsageError for a person who is unknown or has no chat.
 * `patience` multiplies the deadlines.
 */
export async function tryRoundTrip(context: CommandContext, patience = 1): Promise<readonly CheckResult[]> {
  const person = context.arguments.as;
  if (person === undefined)
    throw new UsageError('Write: doctor --round-trip --as <person>. `people list` shows who there is.');
  const pool = context.database();
  const recipient = await findTestRecipient(pool, person);
  const round = { id: randomBytes(6).toString('hex'), context, pool, recipient };
  const tryPromise = (what: string, withinMs: number, attempt: Attempt) =>
    tryWithin(what, withinMs * patience, attempt);
  const [language] = await readLanguages(pool, [recipient]);
  try {
    return await runInLanguage(language, async () => {
      const reply = await tryPromise('reply', DELIVERY_MS, (signal) =>
        sendAndWait(round, 'reply', say('round-trip.begin', { by: context.actor }), signal),
      );
      const others = await Promise.all([
        tryPromise('incident', INCIDENT_MS, (signal) => tryIncident(round, signal)),
        tryPromise('job', JOB_MS, (signal) => tryJob(round, signal)),
        tryPromise('file', DELIVERY_MS, (signal) => tryFile(round, signal)),
        tryPromise('audit seal', SEAL_MS + DELIVERY_MS, (signal) => trySeal(round, signal)),
        tryPromise('webhook', 2 * DELIVERY_MS, (signal) => tryWebhook(round, signal)),
      ]);
      return [reply, ...others];
    });
  } finally {
    await removeTestData(pool, round.id);
  }
}

async function findTestRecipient(pool: Pool, person: string): Promise<Recipient> {
  const user = await findUser(pool, person);
  if (user === null)
    throw new InputError(
      `Nobody with the id '${person}' may speak. \`people list\` shows who may, \`people add\` lets somebody in.`,
    );
  const [recipient] = await findRecipients(pool, [person]);
  if (recipient?.isPrivate) return recipient;
  throw new InputError(
    `${user.name} (${person}) cannot be written to in private: they have to write to the bot there, or unblock it. Only they can do that; \`--as\` takes anybody else of \`people list\`.`,
  );
}

async function tryWithin(what: string, withinMs: number, attempt: Attempt): Promise<CheckResult> {
  const from = Date.now();
  try {
    const sentence = await attempt(abortAfter(withinMs));
    return createOk(`round trip: ${what}`, `${sentence}, after ${sayDuration(Date.now() - from, ENGLISH_ONLY)}`);
  } catch (error) {
    return createFailure(`round trip: ${what}`, getReason(error), REMEDIES[what] ?? LOGS);
  }
}

const ENGLISH_ONLY = 'en';
const LOGS = 'Look at the log and /readyz of the gateway.';
const REMEDIES: Readonly<Record<string, string>> = {
  incident: 'Look at the logs of the job service of the pool deploy, which tells it, and of the worker.',
  job: 'Look at the logs of the job service of the pool maintenance, which runs it, and of the worker.',
  'audit seal': 'Look at the log of the job service of the pool maintenance, which seals.',
  webhook: 'Look at the log of the gateway, and at the program whose callback it is.',
};

/** Inserts a test incident, which the incident watcher picks up and delivers with its own rights. */
async function tryIncident({ id, context, pool, recipient }: RoundTrip, signal: AbortSignal): Promise<string> {
  const text = say('round-trip.incident', { by: context.actor });
  const news = await putTestIncident(pool, id, recipient.userKey, text);
  await waitForDelivery(pool, { news }, signal, 'the incident was told to nobody');
  return 'an incident of a test kind was told';
}

async function tryJob({ id, context, pool, recipient }: RoundTrip, signal: AbortSignal): Promise<string> {
  const { REDIS_URL: redisUrl, REDIS_PREFIX: prefix } = context.config;
  const { userKey, chatKey } = recipient;
  const run = { runId: `doctor:${id}`, traceId: newTraceId() };
  const job = 'knowledge.index' as const;
  await new RunStore(pool).create({ ...run, job, payload: {}, person: { userKey, chatKey }, threadId: null });
  const parts: Closable[] = [];
  try {
    if (redisUrl !== undefined) {
      const queue = createQueue({ redisUrl, prefix, log: context.log });
      parts.push(queue);
      await queue.enqueue(job, run).catch(() => undefined); // The sweeper enqueues the run later.
    }
    await waitForDelivery(pool, { runId: run.runId }, signal, 'the job was not run, or its end not told');
  } finally {
    await closeAll(parts, context.log);
  }
  return `${job} was run and its end told`;
}

async function tryFile(round: RoundTrip, signal: AbortSignal): Promise<string> {
  const file = await putTestFile(round.pool, round.id, round.recipient.userKey);
  await sendAndWait(round, 'file', say('round-trip.file'), signal, { files: [file] });
  return 'a file was sent';
}

async function trySeal(round: RoundTrip, signal: AbortSignal): Promise<string> {
  const { pool, context, id } = round;
  await recordChange(pool, context.actor, 'round_trip.made', { id, as: round.recipient.userKey });
  await until(async () => ((await isTestEventSealed(pool, id)) ? true : null), signal, 'the event was not sealed');
  await sendAndWait(round, 'seal', say('round-trip.seal'), signal);
  return 'an event was sealed, and that told';
}

async function tryWebhook(round: RoundTrip, signal: AbortSignal): Promise<string> {
  const source = await readCallbackProgram(round.pool);
  if (source === null) {
    await sendAndWait(round, 'webhook', say('round-trip.noWebhook'), signal);
    return 'not tried: no program has sent an event that names a callback';
  }
  const text = say('round-trip.callback', { by: round.context.actor }, ENGLISH_ONLY);
  await sendAndWait(
    { ...round, recipient: { ...round.recipient, chatKey: `ingress:${source}/doctor` } },
    'callback',
    text,
    signal,
  );
  await sendAndWait(round, 'webhook', say('round-trip.webhook', { source }), signal);
  return `the program ${source} was called back, and that told`;
}

async function sendAndWait(
  { id, pool, recipient }: RoundTrip,
  what: string,
  text: string,
  signal: AbortSignal,
  more: Pick<OutboundBody, 'files'> = {},
): Promise<string> {
  const key = `doctor:${id}:${what}`;
  const { chatKey } = recipient;
  const body = { text, buttons: [], ...more };
  await putOutbox(pool, [{ key, chatKey, traceId: newTraceId(), priority: SEND_PRIORITY.control, body }]);
  await waitForDelivery(pool, { key }, signal, 'it was not delivered');
  return 'a message was delivered';
}

async function waitForDelivery(
  pool: Pool,
  row: Parameters<typeof readDelivery>[1],
  signal: AbortSignal,
  failure: string,
): Promise<void> {
  const status = await until(
    async () => {
      const now = await readDelivery(pool, row);
      return now === null || now.status === 'pending' || now.status === 'sending' ? null : now;
    },
    signal,
    failure,
  );
  if (status.status !== 'sent') throw new Error(`${failure}: ${status.error ?? status.status}`);
}

async function until<T>(read: () => Promise<T | null>, signal: AbortSignal, failure: string): Promise<T> {
  for (;;) {
    const found = await read();
    if (found !== null) return found;
    if (signal.aborted) throw new Error(`${failure} in time`);
    await sleep(POLL_MS, signal);
  }
}
