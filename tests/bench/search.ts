/*
 * What a search takes among more than 50,000 passages: packages that this tree has installed, indexed as the job does it, and copies of them
 * whose texts all differ, as far as the index can tell. Fails above 200 ms for 95 of 100 searches. `--explain` shows how Postgres ran the
 * slowest statement.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '@signalbox/local/postgres/postgres';
import { createLog } from '@signalbox/platform/log';
import { migrate } from '@signalbox/store/migrations/migrate';
import { openPool } from '@signalbox/store/pool';
import { findValue, listValues, Sql } from '@signalbox/store/sql';
import { searchCode } from '@signalbox/worker/tools/search/code-rows';
import { addProject, indexMain, makePackageRepository } from '../support/search-field.ts';
import { percentile } from './peers/figures.ts';

const PACKAGES = { web: 'fastify', logger: 'pino', versions: 'semver', client: 'undici' } as const;
const COPIES = 6;
const ROUNDS = 3;
const MIN_PASSAGES = 50_000;
const MAX_P95_MS = 200;
const QUERIES = [
  'where is the id of a request generated',
  'hide passwords in log lines',
  'createPinoLogger',
  'connection pool for several hosts',
  'find the highest version that matches a range',
  'body too large limit of the content length',
  'parse cookies',
  'hookRunnerGenrator',
  'try a failed request again',
  'x-http-method-override header',
  'start a worker thread',
  'close frame of a websocket',
  'error',
  'request response',
  'timestamp formats of log entries',
  'write to several streams at once',
  'send',
  'which errors exist FST_ERR_CTP_INVALID_MEDIA_TYPE',
  'turn a string like v1.2 into a valid version',
  'go through a proxy',
];

const log = createLog('bench', 'silent');
const dir = mkdtempSync(join(tmpdir(), 'signalbox-bench-'));
const postgres = await startPostgres({ dir: join(dir, 'postgres') });
const pool = openPool(postgres.url, log, { name: 'bench', max: 4, as: 'owner' });
try {
  await migrate(postgres.url);
  for (const [project, name] of Object.entries(PACKAGES)) {
    await addProject(pool, project);
    await indexMain(pool, project, makePackageRepository(name, dir));
  }
  for (let copy = 1; copy <= COPIES; copy += 1) await copyIndex(`copy${copy}`);
  await pool.query('vacuum analyze');
  const passages = await findValue(pool, 0)`select count(*)::int from code_passages`;
  if (passages < MIN_PASSAGES) throw new Error(`there are only ${passages} passages`);

  let slowest = { ms: 0, statement: new Sql([''], []) };
  const query = pool.query.bind(pool);
  const timed = async (statement: Sql): Promise<unknown> => {
    const began = performance.now();
    const found = await query(statement);
    const ms = performance.now() - began;
    if (ms > slowest.ms) slowest = { ms, statement };
    return found;
  };
  Object.assign(pool, { query: timed });
  const times: { readonly asked: string; readonly ms: number }[] = [];
  const run = async (asked: string): Promise<number> => {
    const began = performance.now();
    await searchCode(pool, { query: asked, isDocs: false, projects: Object.keys(PACKAGES), ref: null, limit: 5 });
    return performance.now() - began;
  };
  // The first round fills caches.
  for (const asked of QUERIES) await run(asked);
  slowest = { ...slowest, ms: 0 };
  for (const asked of Array.from({ length: ROUNDS }, () => QUERIES).flat()) times.push({ asked, ms: await run(asked) });
  Object.assign(pool, { query });
  const all = times.map(({ ms }) => ms);
  const [median, p95] = [percentile(all, 0.5), percentile(all, 0.95)];
  console.log(
    `${passages} passages: p50 ${median.toFixed(0)} ms, p95 ${p95.toFixed(0)} ms of at most ${MAX_P95_MS} ms`,
  );
  for (const { asked, ms } of times.toSorted((one, other) => other.ms - one.ms).slice(0, 5))
    console.log(`  ${ms.toFixed(0)} ms  ${asked}`);
  if (process.argv.includes('--explain')) {
    console.log(`The slowest statement took ${slowest.ms.toFixed(0)} ms:\n${slowest.statement.text}`);
    for (const line of await listValues<string>(pool)`explain (analyze, buffers) ${slowest.statement}`)
      console.log(line);
  }
  if (p95 > MAX_P95_MS) process.exitCode = 1;
} finally {
  await pool.end();
  await postgres.stop();
  rmSync(dir, { recursive: true, force: true });
}

/** Adds commits to the main branches whose texts have other blobs. */
async function copyIndex(copy: string): Promise<void> {
  const twin = `join code_texts t on t.text_id = x.text_id
    join code_texts u on u.blob = md5(t.blob || $1) || '00000000' and u.form = t.form`;
  for (const statement of [
    `insert into code_refs select project, md5(commit || $1) || '00000000', array[$1], true, counts, indexed_at
       from code_refs where names = '{main}'`,
    `insert into code_texts (blob, form, is_docs) select md5(blob || $1) || '00000000', form, is_docs
       from code_texts where blob not like '%00000000'`,
    `insert into code_passages (text_id, line, heading, content, search)
       select u.text_id, x.line, x.heading, x.content, x.search from code_passages x ${twin}`,
    `insert into code_paths (project, commit, path, text_id, weight, words)
       select x.project, md5(x.commit || $1) || '00000000', x.path, u.text_id, x.weight, x.words from code_paths x ${twin}`,
  ])
    await pool.query(statement, [copy]);
}
