/*
 * What governing a repository costs when little has changed, and when much is known. First: a run of a chain after one commit beside the
 * run with an empty cache, over a generated repository. Then: lists, decisions and such a run with a million findings and 10,000 runs in
 * the registry, a tenth of them of the project itself, beside a registry that has its findings alone; without `--quick` again with all of
 * them in that project. Built code, scans in their room, rounds that alternate; each figure is a ratio in this run. `--json <file>`.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ChainName } from '@signalbox/contracts/repository/chains';
import { startPostgres } from '@signalbox/local/postgres/postgres';
import { createLog } from '@signalbox/platform/log';
import { createProjectStore } from '@signalbox/store/deploy/projects';
import { migrate } from '@signalbox/store/migrations/migrate';
import { openPool, type Pool } from '@signalbox/store/pool';
import { locateTestSandbox } from '../support/bubblewrap.ts';
import { loadTestConfig } from '../support/config.ts';
import { median, ratioOf, rounded, type Figure } from './peers/figures.ts';
import { buildChains, startChains, type ChainProcess } from './repository/chain-process.ts';
import { generateRepository } from './repository/generated-repository.ts';
import { questionsOf } from './repository/registry-questions.ts';
import { addFindings, addOthers, addRuns, OF_OTHERS } from './repository/registry-rows.ts';

const { values: options } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, json: { type: 'string' } },
});
const FILES = 2_000;
const COMMITS = 300;
const CHAINS: readonly ChainName[] = options.quick ? ['tech_debt', 'security_scan'] : ChainName.options;
const RUNS = options.quick ? 3 : 5;
const FINDINGS = 1_000_000;
const CHAIN_RUNS = 10_000;
const ROUNDS = options.quick ? 30 : 100;
/** The chain that is run while much is known. */
const CHAIN: ChainName = 'tech_debt';

const dir = mkdtempSync(join(tmpdir(), 'signalbox-repository-'));
const log = createLog('bench', 'silent');
const { path } = loadTestConfig();
build();
await buildChains();
const repository = generateRepository(join(dir, 'repositories/shop'), { files: FILES, commits: COMMITS, path });
const { BWRAP_PATH: file, BWRAP_LIBRARY_PATH: libraryPath = null } =
  (await locateTestSandbox('a scan in its room'))?.settings ?? {};
const postgres = await startPostgres({ dir: join(dir, 'postgres') });
const sides = { few: await openSide('few'), many: await openSide('many') };
const figures: Record<string, Figure | Record<string, Figure>> = {};
try {
  figures['incrementalVsFull'] = await measureIncremental();
  await Promise.all(Object.values(sides).map(({ chains }) => chains.run('shop', CHAIN)));
  await Promise.all(Object.values(sides).map(({ db }) => addSmallProject(db)));
  const tenth = FINDINGS / 10;
  await addOthers(sides.many.db);
  const { db } = sides.many;
  await timed('a million findings', async () => {
    await addFindings(db, `'shop'`, 1, tenth);
    await addFindings(db, OF_OTHERS, tenth + 1, FINDINGS);
    await addRuns(db, `case when n % 10 = 0 then 'shop' else ${OF_OTHERS} end`, 0, CHAIN_RUNS - 1);
    await count(db);
  });
  figures['listAtMillionVsEmpty'] = await measureQuestions();
  figures['incrementalRunAtMillionVsEmpty'] = await measureRuns();
  if (!options.quick) {
    await timed('a million findings of one project', async () => {
      await addFindings(db, `'shop'`, FINDINGS + 1, 2 * FINDINGS - tenth);
      await addRuns(db, `'shop'`, CHAIN_RUNS, 2 * CHAIN_RUNS - CHAIN_RUNS / 10);
      await count(db);
    });
    figures['listAtMillionOfOneVsEmpty'] = await measureQuestions();
    figures['incrementalRunAtMillionOfOneVsEmpty'] = await measureRuns();
  }
  report();
} finally {
  for (const { chains, db } of Object.values(sides)) {
    chains.stop();
    await db.end();
  }
  await postgres.stop();
  rmSync(dir, { recursive: true, force: true });
}
process.exit(0);

/** Throws when the source does not compile. */
function build(): void {
  const { status } = spawnSync(process.execPath, ['node_modules/typescript/bin/tsc', '-b'], { stdio: 'inherit' });
  if (status !== 0) throw new Error('The product does not compile, so there is nothing to measure.');
}

/** A registry in a database of its own, and what runs chains over it. */
async function openSide(name: string): Promise<{ readonly db: Pool; readonly chains: ChainProcess }> {
  const admin = openPool(postgres.url, log, { name: 'bench', max: 1, as: 'owner' });
  await admin.query(`create database ${name}`);
  await admin.end();
  const url = new URL(postgres.url);
  url.pathname = `/${name}`;
  await migrate(url.href);
  const db = openPool(url.href, log, { name: 'bench', max: 4, as: 'owner' });
  await db.query(`insert into users (user_key, channel, name, role) values ('1', 'telegram', 'A', 'operator')`);
  const settings = { databaseUrl: url.href, dir: join(dir, name), repositories: join(dir, 'repositories'), path };
  const chains = startChains({ ...settings, bubblewrap: file === undefined ? null : { file, libraryPath } });
  await addProject(db, 'shop');
  return { db, chains };
}

/** A project with the findings of the first. */
async function addSmallProject(db: Pool): Promise<void> {
  await addProject(db, 'small');
  await db.query(
    `insert into repository_findings (project, fingerprint, analyzer, rule, severity, path, line, evidence, "values", first_run, first_commit, changed_run)
     select 'small', fingerprint, analyzer, rule, severity, path, line, evidence, "values", first_run, first_commit, changed_run
       from repository_findings where project = 'shop'`,
  );
}

async function addProject(db: Pool, name: string): Promise<void> {
  await createProjectStore(db).create({ name, description: '', repository: repository.dir, owner: '1' }, `act_${name}`);
}

/** By chain: the time of a run after one commit to that of the run with an empty cache, whose mirror was there. */
async function measureIncremental(): Promise<Record<string, Figure>> {
  const { db, chains } = sides.few;
  const ratios: Record<string, Figure> = {};
  await chains.run('shop', 'discovery_analysis');
  for (const chain of CHAINS) {
    const project = `shop-${chain.replaceAll('_', '-')}`;
    await addProject(db, project);
    const { ms: full } = await chains.run(project, chain);
    const after: number[] = [];
    for (let n = 0; n < RUNS; n += 1) {
      repository.change();
      after.push((await chains.run(project, chain)).ms);
    }
    ratios[chain] = ratioOf(
      after,
      after.map(() => full),
    );
    console.log(`${chain}: ${Math.round(full)} ms, after one commit ${Math.round(median(after))} ms`);
  }
  return ratios;
}

async function measureQuestions(): Promise<Record<string, Figure>> {
  const [few, many] = [questionsOf(sides.few.db, 'shop', CHAIN), questionsOf(sides.many.db, 'shop', CHAIN)];
  const ratios: Record<string, Figure> = {};
  for (const [name, ask] of Object.entries(few)) {
    const [one, other]: [number[], number[]] = [[], []];
    for (let round = -5; round < ROUNDS; round += 1) {
      const times = [await clock(ask), await clock(many[name] ?? ask)] as const;
      if (round < 0) continue; // what is planned and read for the first time
      one.push(times[0]);
      other.push(times[1]);
    }
    const ratio = median(other) / median(one);
    ratios[name] = { median: ratio, from: ratio, to: ratio };
  }
  return ratios;
}

/** Each round commits once, and both registries have a run over it. */
async function measureRuns(): Promise<Figure> {
  const [few, many]: [number[], number[]] = [[], []];
  for (let n = -1; n < 2 * RUNS; n += 1) {
    repository.change();
    const times = [
      (await sides.few.chains.run('shop', CHAIN)).ms,
      (await sides.many.chains.run('shop', CHAIN)).ms,
    ] as const;
    if (n < 0) continue;
    few.push(times[0]);
    many.push(times[1]);
  }
  return ratioOf(many, few);
}

async function count(db: Pool): Promise<void> {
  const { rows } = await db.query<{ n: string }>(
    `select count(*) as n from repository_findings where project = 'shop'`,
  );
  console.log(`shop has ${rows[0]?.n ?? ''} findings`);
  await db.query('checkpoint');
}

async function clock(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

async function timed(what: string, work: () => Promise<unknown>): Promise<void> {
  console.log(`${what}: ${Math.round((await clock(work)) / 1_000)} s`);
}

function report(): void {
  const isFigure = (one: Figure | Record<string, Figure>): one is Figure => typeof one['median'] === 'number';
  const flat = Object.entries(figures).flatMap(([name, figure]) =>
    isFigure(figure)
      ? [[name, figure] as const]
      : Object.entries(figure).map(([part, one]) => [`${name}.${part}`, one] as const),
  );
  const rows = flat.map(([name, one]) => [
    name,
    { median: rounded(one.median), from: rounded(one.from), to: rounded(one.to) },
  ]);
  console.table(Object.fromEntries(rows));
  if (options.json === undefined) return;
  const ratios = Object.fromEntries(
    Object.entries(figures).map(([name, figure]) => [
      name,
      isFigure(figure)
        ? rounded(figure.median)
        : Object.fromEntries(Object.entries(figure).map(([part, one]) => [part, rounded(one.median)])),
    ]),
  );
  writeFileSync(options.json, `${JSON.stringify({ rounds: ROUNDS, ratios, figures }, null, 2)}\n`);
}
