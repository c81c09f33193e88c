/*
 * The product beside its peers in one run: one Postgres commit, the bare graph, the bot that a competent user would write with grammY,
 * LangGraph and its Postgres saver, and LangGraph's development server. Production builds, processes of their own, a fixed model that takes
 * no time, governance and audit on. Rounds of all peers alternate; each figure is the median of the rounds' ratios. `--quick`: fewer people
 * and rounds. `--json <file>`. Jobs and the proxy take no part in a turn: they run only where starting and idling are measured.
 */
import { HumanMessage } from '@langchain/core/messages';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createLog } from '@signalbox/platform/log';
import { openPool } from '@signalbox/store/pool';
import { measureBacklog } from './peers/backlog.ts';
import { median, percentile, ratioOf, rounded, type Figure, type Sample } from './peers/figures.ts';
import { measurePairs, openGovernedChanges } from './peers/governed-change.ts';
import { measureGrowth } from './peers/growth.ts';
import { KINDS, textOf, type Kind } from './peers/model-script.ts';
import { measureDefinitions } from './peers/prompt-size.ts';
import { openPeers } from './peers/stack.ts';
import { measureStart } from './peers/start.ts';
import { measureWaiting } from './peers/waiting.ts';

const { values: options } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, json: { type: 'string' } },
});
const ROUNDS = options.quick ? 3 : 5;
const PEOPLE = options.quick ? [1, 32] : [1, 8, 32, 128];
const TURNS_EACH = new Map([
  [1, 24],
  [8, 8],
  [16, 40],
]);
/** So many people stay in one conversation: the saver of the plain bot writes more of it with each turn. */
const LONG = { people: 16, rounds: 3 };
/** Peers stand beside each other, so that what else the machine does falls on all of them alike. */
const CELLS = PEOPLE.flatMap((people) =>
  KINDS.flatMap((kind) =>
    (['product', 'naive bot', 'bare graph', 'commit', 'LangGraph server'] as const)
      // It takes seconds for a turn when many wait, and answers all kinds alike.
      .filter((peer) => peer !== 'LangGraph server' || (kind === 'read' && people <= 32))
      .map((peer) => [peer, kind, people] as const),
  ),
);
const WARM_UP_PEOPLE = 64;
const LANGGRAPH_TURNS = 2;
const GOVERNED_ROUNDS = 300;
/** Others write so long beside the person whose turn is slow. */
const BESIDE_TURNS = 10;

type Peer = 'product' | 'product, two workers' | 'naive bot' | 'bare graph' | 'commit' | 'LangGraph server';
interface Row extends Sample {
  readonly peer: Peer;
  readonly kind: Kind;
  readonly people: number;
}

const dir = mkdtempSync(join(tmpdir(), 'signalbox-peers-'));
const peers = await openPeers(dir, { langGraphRuns: 32 });
const rows: Row[] = [];
try {
  say('warming up');
  // Bots run for days: the engine has compiled what is hot in both.
  for (const kind of [...KINDS, ...KINDS])
    for (const peer of ['product', 'naive bot'] as const) await cell(peer, kind, WARM_UP_PEOPLE);
  rows.length = 0;
  for (let round = 1; round <= ROUNDS; round++) {
    say(`round ${round} of ${ROUNDS}`);
    for (const [peer, kind, people] of round % 2 === 0 ? CELLS.toReversed() : CELLS) await cell(peer, kind, people);
  }
  if (!options.quick) {
    await measureTwoWorkers();
    await measureLong();
  }
  say('a conversation that grows');
  const short = await measureGrowth(peers, 8, { people: 8, turns: 2 });
  const long = await measureGrowth(peers, 1_000, { people: 2, turns: 8 });
  say('others beside a slow turn');
  const beside = await measureBeside();
  say('governed changes beside commits');
  const governed = await measureGoverned();
  say('starting, and idling');
  const started = await measureStart(join(dir, 'instance'));
  // The peers above idle meanwhile.
  const waiting = await measureWaiting(join(dir, 'people'), {
    rounds: options.quick ? 1 : 3,
    isQuick: options.quick,
    say,
  });
  say('a backlog');
  const backlog = await measureBacklog(join(dir, 'backlog'), options.quick ? 200 : 2_000);
  report({
    throughputVsNaiveBot: byKind((kind) => compare('product', 'naive bot', kind, 32, throughput)),
    p50VsNaiveBot: byKind((kind) => compare('product', 'naive bot', kind, 1, p50)),
    cpuPerTurnVsNaiveBot: byKind((kind) => compare('product', 'naive bot', kind, 32, ({ cpuPerTurn }) => cpuPerTurn)),
    ...(options.quick ? {} : compareLong()),
    throughputVsLangGraphServer: compare('product', 'LangGraph server', 'read', 32, throughput),
    turnVsBareGraph: compare('product', 'bare graph', 'read', 1, p50),
    tokensVsAllTools: only(await measureDefinitions()),
    turnAt1000VsAt10: only(long.warm / short.warm),
    turnAt1000Cold: only(long.cold / short.cold),
    bytesPerTurnAt1000: only(long.bytes),
    p99BesideLongTurn: only(beside),
    governedChangeVsCommit: only(governed),
    readyAfterStartMs: only(started.readyMs),
    idlePssMb: only(started.megabytes),
    idleCpuPercent: only(started.cpuPercent),
    ...waiting,
    backlogVsBusy: only(backlog.drainPerSecond / backlog.busyPerSecond),
    backlogMb: only(backlog.peakMegabytes),
  });
} finally {
  await peers.close();
  rmSync(dir, { recursive: true, force: true });
}
process.exit(0);

async function cell(peer: Peer, kind: Kind, people: number): Promise<void> {
  const turnsEach = TURNS_EACH.get(people) ?? 4;
  if (peer === 'bare graph' || peer === 'commit')
    return void rows.push({ peer, kind, people, ...(await inProcess(peer, kind, people, turnsEach)) });
  if (peer === 'LangGraph server' && peers.langGraphServer) {
    const sample = await peers.langGraphServer.run(people, LANGGRAPH_TURNS, (n) => textOf(kind, n));
    return void rows.push({ peer, kind, people, ...sample });
  }
  const { load, cpu } = peer === 'naive bot' ? peers.naive : peers.product;
  const ids = peers.nextPeople(people);
  await load.addPeople(ids);
  rows.push({ peer, kind, people, ...(await load.run(ids, { turnsEach, text: (n) => textOf(kind, n) }, cpu)) });
  const made = await peers.removeProjects();
  if (peer === 'product' && kind === 'write' && made !== people * turnsEach)
    throw new Error(`${people * turnsEach} projects were asked for, and ${made} were made`);
}

/** What needs no process of its own: LangGraph's own floor, and one commit of Postgres. */
async function inProcess(
  peer: 'bare graph' | 'commit',
  kind: Kind,
  people: number,
  turnsEach: number,
): Promise<Sample> {
  const work = (n: number): Promise<unknown> =>
    peer === 'commit'
      ? peers.db.query({ name: 'commit', text: 'insert into bench_commit values ($1)', values: [Buffer.alloc(2_000)] })
      : peers.bareGraph.invoke({ messages: [new HumanMessage(textOf(kind, n))] });
  const latencies: number[] = [];
  const [startedAt, before] = [performance.now(), process.cpuUsage()];
  await Promise.all(
    Array.from({ length: people }, async () => {
      for (let n = 0; n < turnsEach; n++) {
        const at = performance.now();
        await work(n);
        latencies.push(performance.now() - at);
      }
    }),
  );
  const { user, system } = process.cpuUsage(before);
  const turns = latencies.length;
  return {
    latencies,
    turnsPerSecond: (turns * 1_000) / (performance.now() - startedAt),
    cpuPerTurn: (user + system) / 1_000 / turns,
  };
}

async function measureTwoWorkers(): Promise<void> {
  say('two workers');
  const stop = await peers.addWorker();
  for (const people of PEOPLE.filter((count) => count > 1))
    for (const kind of KINDS) await cell('product, two workers', kind, people);
  await stop();
}

async function measureLong(): Promise<void> {
  say('conversations of forty turns');
  for (let round = 1; round <= LONG.rounds; round++)
    for (const kind of KINDS) for (const peer of ['product', 'naive bot'] as const) await cell(peer, kind, LONG.people);
}

function compareLong() {
  const ratios = (figure: (sample: Sample) => number): Readonly<Record<Kind, Figure>> =>
    byKind((kind) => compare('product', 'naive bot', kind, LONG.people, figure));
  return {
    throughputVsNaiveBotOver40Turns: ratios(throughput),
    cpuPerTurnVsNaiveBotOver40Turns: ratios(({ cpuPerTurn }) => cpuPerTurn),
  };
}

/** p99 of eight people who read, beside one whose model takes 15 s, to the same without. */
async function measureBeside(): Promise<number> {
  const { load } = peers.product;
  const p99 = async (): Promise<number> => {
    const ids = peers.nextPeople(8);
    await load.addPeople(ids);
    const { latencies } = await load.run(ids, { turnsEach: BESIDE_TURNS, text: (n) => textOf('read', n) }, () => 0);
    return percentile(latencies, 0.99);
  };
  const without = await p99();
  const [slow = 0] = peers.nextPeople(1);
  await load.addPeople([slow]);
  const [beside] = await Promise.all([p99(), load.turn(slow, 'slow')]);
  return beside / without;
}

/** p50 of a governed change to p50 of a commit. */
async function measureGoverned(): Promise<number> {
  const pool = openPool(peers.databaseUrl, createLog('bench', 'silent'), { name: 'bench', max: 4, as: 'owner' });
  const governed = await openGovernedChanges(pool, ['1']);
  const parts = governed.governanceOver(pool);
  const { changes, commits } = await measurePairs(
    GOVERNED_ROUNDS,
    () => governed.change(parts, '1'),
    () => pool.query('insert into bench_commit values ($1)', [Buffer.alloc(200)]),
  );
  await pool.end();
  return median(changes) / median(commits);
}

function throughput({ turnsPerSecond }: Sample): number {
  return turnsPerSecond;
}

function p50({ latencies }: Sample): number {
  return median(latencies);
}

function compare(ours: Peer, theirs: Peer, kind: Kind, people: number, figure: (sample: Sample) => number): Figure {
  const of = (peer: Peer): readonly number[] =>
    rows.filter((row) => row.peer === peer && row.kind === kind && row.people === people).map(figure);
  return ratioOf(of(ours), of(theirs));
}

function only(value: number): Figure {
  return { median: value, from: value, to: value };
}

function byKind(figure: (kind: Kind) => Figure): Readonly<Record<Kind, Figure>> {
  return { noTool: figure('noTool'), read: figure('read'), write: figure('write') };
}

function report(figures: Readonly<Record<string, Figure | Readonly<Record<Kind, Figure>>>>): void {
  const cells = new Map(rows.map((row) => [`${row.peer} ${row.kind} ${row.people}`, row]));
  console.table(
    [...cells.values()].map(({ peer, kind, people }) => {
      const same = rows.filter((row) => row.peer === peer && row.kind === kind && row.people === people);
      return {
        peer,
        kind,
        people,
        'turns/s': rounded(median(same.map(throughput))),
        'p50 ms': rounded(median(same.map(p50))),
        'p99 ms': rounded(median(same.map(({ latencies }) => percentile(latencies, 0.99)))),
        'CPU ms': rounded(median(same.map(({ cpuPerTurn }) => cpuPerTurn))),
      };
    }),
  );
  const flat = Object.entries(figures).flatMap(([name, figure]): readonly (readonly [string, Figure])[] =>
    isFigure(figure) ? [[name, figure]] : Object.entries(figure).map(([kind, one]) => [`${name}.${kind}`, one]),
  );
  console.table(
    Object.fromEntries(
      flat.map(([name, { median: middle, from, to }]) => [
        name,
        { median: rounded(middle), from: rounded(from), to: rounded(to) },
      ]),
    ),
  );
  if (options.json === undefined) return;
  const taken = Object.fromEntries(
    Object.entries(figures).map(([name, figure]) => [
      name,
      isFigure(figure)
        ? rounded(figure.median)
        : Object.fromEntries(Object.entries(figure).map(([kind, one]) => [kind, rounded(one.median)])),
    ]),
  );
  const result = { rounds: ROUNDS, ratios: taken, figures };
  writeFileSync(options.json, `${JSON.stringify(result, null, 2)}\n`);
}

function isFigure(figure: Figure | Readonly<Record<Kind, Figure>>): figure is Figure {
  return 'median' in figure;
}

function say(what: string): void {
  process.stderr.write(`${what}\n`);
}
