import { spawn, type ChildProcess } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { say } from '@signalbox/messages/say';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { memoryOf } from '../bench/peers/processes.ts';
import { NEVER, openField, type Field } from '../support/field.ts';
import type { Person } from '../support/person.ts';
import type { ServiceProcess } from '../support/service-process.ts';
import { until } from '../support/until.ts';

const PEOPLE = 1_000;
/** Those who say /stop, and others of them whom another worker may have. */
const IMPATIENT = 20;
const AT_ONCE = 50;
const THINK_MS = 20_000;
/** Longer than a lease, and shorter than what a process that lives may be silent. */
const FREEZE_MS = 7_000;
/** The model is silent until all have asked it, which takes a busy machine more than the minute after which a try is given up. */
const PATIENT = { MODEL_TIMEOUT_MS: '400000', MODEL_DEADLINE_MS: '400000' };
const MAX_STOP_MS = 1_000;
/** A worker that has just been restarted begins the turns of five hundred people at that moment. */
const MAX_RESTARTED_STOP_MS = 10_000;
/** So many replies show that the others' are on their way. */
const BEGUN_REPLIES = 50;
const MAX_WORKER_MEGABYTES = 700;

let field: Field;
let letModelAnswer: () => void;
let burners: ChildProcess[] = [];
beforeEach(async () => {
  const silentUntil = new Promise<void>((resolve) => (letModelAnswer = resolve));
  field = await openField({ thinkMs: THINK_MS, silentUntil });
});
afterEach(async () => {
  for (const burner of burners) burner.kill('SIGKILL');
  burners = [];
  await field.close();
});

/** Takes half of each core: a process computes for 15 of every 30 ms. */
function stealHalf(): void {
  const program = `const spin = () => { const end = performance.now() + 15; while (performance.now() < end); setTimeout(spin, 15); }; spin();`;
  burners = Array.from({ length: availableParallelism() }, () =>
    spawn(process.execPath, ['-e', program], { stdio: 'ignore' }),
  );
}

async function everybodySays(people: readonly Person[], text: string): Promise<void> {
  const left = [...people];
  const speak = async (): Promise<void> => {
    for (let person = left.pop(); person; person = left.pop()) await person.send(text);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, speak));
}

it('a thousand people who wait are answered once while a worker freezes, another is killed, and half of the processor is taken', async () => {
  await field.start('gateway', 'g1');
  const frozen = await field.start('worker', 'frozen', PATIENT);
  const killed = await field.start('worker', 'killed', PATIENT);
  const everybody = await field.people(PEOPLE);
  const [impatient, others] = [everybody.slice(0, IMPATIENT), everybody.slice(IMPATIENT)];
  await Promise.all([everybodySays(impatient, NEVER), everybodySays(others, 'one')]);
  await until(() => field.model.thinking() >= PEOPLE, 120_000);
  const megabytes = [measureMemory([frozen, killed])];
  const stop = async (worker: string): Promise<StopFigures> => measureStop(await takeWaiting(impatient, worker));
  const usual = await stop('frozen');
  stealHalf();
  const loaded = await stop('frozen');
  letModelAnswer();
  frozen.signal('SIGSTOP');
  await killed.kill();
  const orphans = await countHeld('killed');
  await Promise.all([killed.start(), delay(FREEZE_MS).then(() => frozen.signal('SIGCONT'))]);
  await until(async () => (await countReplies()) >= BEGUN_REPLIES, 90_000);
  const behindReplies = await stop('killed');
  megabytes.push(measureMemory([frozen, killed]));
  await everybodySays(impatient, '/stop');
  console.log(JSON.stringify({ usual, loaded, behindReplies, megabytes }));
  expect(await field.check(others, ['one'])).toEqual([]);
  // Only what the killed worker waited for was asked again.
  expect(field.model.requests()).toBeLessThan(PEOPLE + orphans + 0.2 * PEOPLE);
  expect(Math.max(...megabytes)).toBeLessThan(MAX_WORKER_MEGABYTES);
  // On a machine that others use, in proportion to what it took before half was taken.
  const proportion = (what: keyof StopFigures): number => Math.max(MAX_STOP_MS, 4 * usual[what]);
  for (const what of ['answeredMs', 'endedMs', 'toldMs'] as const) expect(loaded[what]).toBeLessThan(proportion(what));
  expect(behindReplies.answeredMs).toBeLessThan(proportion('answeredMs'));
  expect(behindReplies.toldMs).toBeLessThan(MAX_RESTARTED_STOP_MS);
}, 420_000);

/** Milliseconds from /stop to the answer in the chat, to the end of the turn, and to the words in the chat that say so. */
interface StopFigures {
  readonly answeredMs: number;
  readonly endedMs: number;
  readonly toldMs: number;
}

async function measureStop(person: Person): Promise<StopFigures> {
  const startedAt = performance.now();
  const isSaid = async (text: string): Promise<number | null> =>
    (await person.heard()).some((message) => message.text.startsWith(text)) ? performance.now() - startedAt : null;
  const isEnded = async (): Promise<number | null> => {
    const { rowCount } = await field.pool.query(`select 1 from inbox where user_key = $1 and outcome = 'stopped'`, [
      String(person.id),
    ]);
    return rowCount === 1 ? performance.now() - startedAt : null;
  };
  await person.send('/stop');
  const [answeredMs, endedMs, toldMs] = await Promise.all([
    until(() => isSaid(say('gateway.stopping')), 30_000),
    until(isEnded, 30_000),
    until(() => isSaid(say('turn.stopped')), 30_000),
  ]);
  return { answeredMs, endedMs, toldMs };
}

/** Takes somebody whose turn this worker runs from those who wait for it. */
async function takeWaiting(impatient: Person[], worker: string): Promise<Person> {
  return until(async () => {
    const { rows } = await field.pool.query<{ key: string }>(
      `select user_key as key from lanes where worker = $1 and lease_until > now()`,
      [worker],
    );
    const place = impatient.findIndex(({ id }) => rows.some(({ key }) => key === String(id)));
    return impatient.splice(place, place === -1 ? 0 : 1)[0];
  }, 60_000);
}

async function countHeld(worker: string): Promise<number> {
  const { rows } = await field.pool.query<{ n: number }>('select count(*)::int as n from lanes where worker = $1', [
    worker,
  ]);
  return rows[0]?.n ?? 0;
}

async function countReplies(): Promise<number> {
  const { rows } = await field.pool.query<{ n: number }>(
    'select count(*)::int as n from outbox where turn_id is not null',
  );
  return rows[0]?.n ?? 0;
}

function measureMemory(workers: readonly ServiceProcess[]): number {
  return Math.max(...workers.map((worker) => memoryOf(worker.pid())));
}
