import { spawn, type ChildProcess } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { join } from 'node:path';
import { measureFirstWord } from './first-word.ts';
import { median, percentile, ratioOf, type Figure } from './figures.ts';
import { startSlowModel, textOfSlow, type SlowModel } from './slow-model.ts';
import { openPeers, type Peers } from './stack.ts';

const WARM_UP = { people: 64, turnsEach: 2 };
const CROWD = { people: 300, turnsEach: 2, seconds: 5 };
const THOUSAND = { people: 1_000, seconds: 20 };
const LATE_MS = 240_000;
const LOOK_MS = 250;
/** The share of each core that burners take away. */
const BURNT = 1 / 3;

/** What people feel while a model takes seconds. Ratios are those of one run. */
export interface WaitingFigures {
  /** p99 of 300 people who write two messages each to a model of 5 s, to the plain bot's. */
  readonly waitingP99VsNaiveBot: Figure;
  /** From the first of a thousand messages at once to the last answer, to one answer of the same model, which takes 20 s a call. */
  readonly thousandInFlightVsOneAnswer: Figure;
  /** The same with turns of three calls, two of them for a tool. Only in a full run. */
  readonly thousandInFlightVsOneAnswerThreeCalls?: Figure;
  /** The most memory of that worker, in megabytes. */
  readonly thousandInFlightMb: Figure;
  /** What a provider bills for one answer while a third of all cores is taken away. */
  readonly modelCallsPerAnswerUnderLoad: Figure;
  /** Milliseconds from the model's first word to the draft that shows it, p95 of 32 people. */
  readonly firstWordMs: Figure;
}

/** Starts the product as it ships and the plain bot over one model server, and measures both. */
export async function measureWaiting(
  dir: string,
  { rounds, isQuick, say }: { readonly rounds: number; readonly isQuick: boolean; say(what: string): void },
): Promise<WaitingFigures> {
  say('the first word');
  const firstWord = await measureFirstWord(join(dir, 'first-word'));
  const model = await startSlowModel();
  const peers = await openPeers(join(dir, 'waiting'), { modelUrl: model.url });
  try {
    say('people who wait: warming up');
    for (const peer of ['product', 'naive'] as const) await crowd(peers, peer, { ...WARM_UP, seconds: 0 });
    say(`${CROWD.people} people, a model of ${CROWD.seconds} s`);
    const [ours, theirs]: [number[], number[]] = [[], []];
    for (let round = 1; round <= rounds; round++) {
      ours.push(percentile(await crowd(peers, 'product', CROWD), 0.99));
      theirs.push(percentile(await crowd(peers, 'naive', CROWD), 0.99));
    }
    say(`${CROWD.people} people while a third of the processor is taken away`);
    const perAnswer = await measureUnderLoad(peers, model);
    say(`${THOUSAND.people} people, a model of ${THOUSAND.seconds} s`);
    const one = await measureThousand(peers, 1);
    const three = isQuick ? null : await measureThousand(peers, 3);
    return {
      waitingP99VsNaiveBot: ratioOf(ours, theirs),
      thousandInFlightVsOneAnswer: only(one.ratio),
      ...(three === null ? {} : { thousandInFlightVsOneAnswerThreeCalls: only(three.ratio) }),
      thousandInFlightMb: only(Math.max(one.megabytes, three?.megabytes ?? 0)),
      modelCallsPerAnswerUnderLoad: only(perAnswer),
      firstWordMs: only(firstWord.firstWordMs.p95),
    };
  } finally {
    await peers.close();
    await model.close();
  }
}

async function crowd(
  peers: Peers,
  peer: 'product' | 'naive',
  cell: { readonly people: number; readonly turnsEach: number; readonly seconds: number; readonly calls?: number },
): Promise<readonly number[]> {
  const { load, cpu } = peers[peer];
  const ids = peers.nextPeople(cell.people);
  await load.addPeople(ids);
  const { turnsEach } = cell;
  const { latencies } = await load.run(ids, { turnsEach, text: (n) => textOfSlow(n, cell), lateMs: LATE_MS }, cpu);
  return latencies;
}

async function measureUnderLoad(peers: Peers, model: SlowModel): Promise<number> {
  const burners = Array.from({ length: availableParallelism() }, (_, core) => burn(core));
  try {
    model.takeRequests();
    const answers = await crowd(peers, 'product', CROWD);
    return model.takeRequests() / answers.length;
  } finally {
    for (const burner of burners) burner.kill('SIGKILL');
  }
}

async function measureThousand(
  peers: Peers,
  calls: number,
): Promise<{ readonly ratio: number; readonly megabytes: number }> {
  const cell = { ...THOUSAND, turnsEach: 1, calls };
  const alone = median(await crowd(peers, 'product', { ...cell, people: 1 }));
  let megabytes = 0;
  let isOver = false;
  const watched = (async () => {
    for (; !isOver; await sleep(LOOK_MS)) megabytes = Math.max(megabytes, peers.product.workerMemory());
  })();
  const startedAt = performance.now();
  await crowd(peers, 'product', cell);
  const ratio = (performance.now() - startedAt) / alone;
  isOver = true;
  await watched;
  return { ratio, megabytes };
}

/** A process that computes on one core for its share of every 30 ms. */
function burn(core: number): ChildProcess {
  const busyMs = 30 * BURNT;
  const program = `const spin = () => { const end = performance.now() + ${busyMs}; while (performance.now() < end); setTimeout(spin, ${30 - busyMs}); }; spin();`;
  return spawn('taskset', ['--cpu-list', String(core), process.execPath, '-e', program], { stdio: 'ignore' });
}

function only(value: number): Figure {
  return { median: value, from: value, to: value };
}
