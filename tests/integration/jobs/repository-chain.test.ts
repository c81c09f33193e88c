import { createHash } from 'node:crypto';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { drawKey } from '../../fixtures/planted/secrets.ts';
import { openRepositoryBench, type RepositoryBench } from './repository-bench.ts';

/** A conflict that was committed, and the code as it should be. */
const CONFLICT = 'export const a = 1;\n<<<<<<< HEAD\nexport const b = 2;\n=======\nexport const b = 3;\n>>>>>>> side\n';
const README = { 'README.md': '# Shop\n' };
const PLAIN = 'export const a = 1;\nexport const b = 2;\n';

describe("a chain of scan agents over a project's repository", () => {
  let bench: RepositoryBench;
  beforeEach(async () => {
    bench = await openRepositoryBench();
  });
  afterEach(() => bench.close());

  const rows = async (query: string): Promise<readonly unknown[]> => (await bench.jobs.pool.query(query)).rows;

  it('opens new findings, closes fixed ones, reopens recurring ones, and reports each', async () => {
    bench.commit({ 'src/main.ts': CONFLICT, ...README });
    const first = await bench.run('r1', 'tech_debt');
    expect(first).toMatchObject({
      status: 'completed',
      isFirst: true,
      counts: { opened: 1, reopened: 0, fixed: 0, open: 1 },
    });
    const [found] = first.top;
    expect(found).toMatchObject({ rule: 'code/merge-conflict', path: 'src/main.ts', line: 2 });

    // It moved: the same finding at another line.
    bench.commit({ 'src/main.ts': `// A shop.\n${CONFLICT}` });
    const moved = await bench.run('r2', 'tech_debt');
    expect(moved).toMatchObject({ isFirst: false, counts: { opened: 0, reopened: 0, fixed: 0, open: 1 } });
    expect(moved.top).toMatchObject([{ findingId: found?.findingId, line: 3 }]);

    bench.commit({ 'src/main.ts': PLAIN });
    expect((await bench.run('r3', 'tech_debt')).counts).toEqual({ opened: 0, reopened: 0, fixed: 1, open: 0 });
    bench.commit({ 'src/main.ts': CONFLICT });
    const back = await bench.run('r4', 'tech_debt');
    expect(back.counts).toEqual({ opened: 0, reopened: 1, fixed: 0, open: 1 });
    expect(back.top).toMatchObject([{ findingId: found?.findingId }]);
    expect(await rows(`select status, times_reopened as n from repository_findings`)).toEqual([
      { status: 'open', n: 1 },
    ]);
  });

  it('numbers findings without gaps, however often earlier ones were found again', async () => {
    bench.commit({ 'src/main.ts': CONFLICT, ...README });
    for (const run of ['r1', 'r2', 'r3']) await bench.run(run, 'tech_debt');
    bench.commit({ 'src/other.ts': CONFLICT });
    await bench.run('r4', 'tech_debt');
    expect(await rows(`select finding_id::int as n from repository_findings order by n`)).toEqual([{ n: 1 }, { n: 2 }]);
  });

  it('does not close findings of another chain', async () => {
    bench.commit({ 'src/main.ts': CONFLICT, ...README });
    await bench.run('r1', 'tech_debt');
    bench.commit({ 'src/main.ts': PLAIN });
    expect(await bench.run('r2', 'security_scan')).toMatchObject({
      status: 'completed',
      counts: { fixed: 0, open: 1 },
      total: 0,
    });
    expect(await bench.list()).toHaveLength(1);
  });

  it('stores nothing in a dry run', async () => {
    bench.commit({ 'src/main.ts': CONFLICT, ...README });
    const dry = await bench.run('r1', 'dependency_audit', { isDry: true });
    expect(dry).toMatchObject({ status: 'completed', isDry: true, counts: null });
    // Nobody was asked for published weaknesses, and that is said.
    expect(dry.unseen.join()).toContain('OSV_URL');
    const found = await bench.run('r2', 'tech_debt', { isDry: true });
    expect(found).toMatchObject({ total: 1, top: [{ rule: 'code/merge-conflict', findingId: null }] });
    for (const table of ['findings', 'artifacts', 'scan_caches', 'decisions'])
      expect(await rows(`select * from repository_${table}`)).toEqual([]);
    // It is no run that a later one compares with.
    expect(await bench.run('r3', 'tech_debt')).toMatchObject({ isFirst: true, counts: { opened: 1 } });
  });

  it('analyzes only changed files when it runs again', async () => {
    bench.commit(Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`src/file${n}.ts`, `${PLAIN}// ${n}\n`])));
    await bench.run('r1', 'tech_debt');
    bench.commit({ 'src/file7.ts': CONFLICT });
    await bench.run('r2', 'tech_debt');
    expect(await bench.list()).toContain('open high code/merge-conflict src/file7.ts');
    const audits = await rows(
      `select data -> 'scanned' as scanned from audit_events
        where kind = 'repository.scanned' and data ->> 'run' = 'r2' and data ->> 'agent' = 'engineering_principles'`,
    );
    expect(audits).toEqual([{ scanned: { files: 50, inspected: 1, cached: 149 } }]);
  });

  it('scans a new clone after the old clone broke', async () => {
    bench.commit({ 'src/main.ts': PLAIN, ...README });
    await bench.run('r1', 'tech_debt');
    const mirrors = join(bench.settings['DEPLOY_DIR'] ?? '', 'mirrors');
    for (const name of readdirSync(mirrors)) writeFileSync(join(mirrors, name, 'refs/heads/main.lock'), '');
    bench.commit({ 'src/main.ts': CONFLICT });
    expect(await bench.run('r2', 'tech_debt')).toMatchObject({ status: 'completed', counts: { opened: 1 } });
  });

  it('has the same findings when its cache cannot be read', async () => {
    bench.commit({ 'src/main.ts': CONFLICT, ...README });
    const first = await bench.run('r1', 'tech_debt');
    await bench.jobs.pool.query(`update repository_scan_caches set content = 'spoiled'`);
    expect(await bench.run('r2', 'tech_debt')).toMatchObject({ counts: { opened: 0, open: 1 }, top: first.top });
  });

  it('stores the report files that its agent may write', async () => {
    bench.commit({ 'src/main.ts': CONFLICT });
    await bench.run('r0', 'tech_debt');
    expect(await bench.run('r1', 'discovery_analysis')).toMatchObject({ status: 'completed' });
    expect(await rows(`select path, agent from repository_artifacts order by path`)).toEqual([
      { path: 'var/artifacts/findings.sarif', agent: 'report_writer' },
      { path: 'var/artifacts/report.md', agent: 'report_writer' },
    ]);
  });

  it.each([
    [
      'has no repository',
      (shop: RepositoryBench) => shop.jobs.pool.query(`update projects set repository = null`),
      /REPOSITORY|repository/,
    ],
    [
      'cannot be read',
      (shop: RepositoryBench) => shop.jobs.pool.query(`update projects set repository = repository || '-gone'`),
      /shop-gone|folder/,
    ],
  ])('does not start, and says why, when the project %s', async (_, spoil, why) => {
    bench.commit({ 'README.md': '# Shop\n' });
    await spoil(bench);
    const stopped = await bench.run('r1', 'security_scan');
    expect(stopped).toMatchObject({ status: 'stopped', counts: null });
    expect(stopped.problem).toMatch(why);
    expect(await rows(`select * from repository_agent_runs`)).toEqual([]);
  });

  it('says what was not read, by reason and name, in the chat, the report and SARIF', async () => {
    const icon = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
    bench.commit({
      'huge.sql': Buffer.alloc(20_000_001, 'x'),
      'icon.png': icon,
      'blob.dat': icon,
      'deps/lua/a.c': Buffer.from('int a;\n'),
      'mix.lock': Buffer.from('%{}\n'),
      'README.md': Buffer.from('# Shop\n'),
    });
    const { unseen } = await bench.run('r1', 'dependency_audit');
    expect(unseen).toEqual([
      'known vulnerabilities of dependencies, because no vulnerability database is configured or reachable (OSV_DIR, OSV_URL)',
      'injection in queries, open redirects, server-side requests and disabled escaping: not covered without a SARIF report of another tool',
      '1 package file that I cannot read (mix.lock)',
      '1 file that is too large (huge.sql)',
      '2 files that are not text (blob.dat, icon.png)',
      '1 third-party file, searched for secrets only (deps/)',
    ]);
    const { rows: written } = await bench.jobs.pool.query<{ text: string }>(
      `select convert_from(bytes, 'UTF8') as text from repository_artifacts where path ~ 'report.md|sarif' order by path desc`,
    );
    const [report, sarif = ''] = written.map(({ text }) => text);
    expect(report).toMatch(/^Not analyzed: 2 files that are not text\.\n\n- blob\.dat\n- icon\.png$/m);
    const { invocations } = (JSON.parse(sarif) as { runs: { invocations: unknown }[] }).runs[0] ?? {};
    expect(invocations).toMatchObject([
      {
        executionSuccessful: true,
        toolExecutionNotifications: [
          { descriptor: { id: 'no-advisories' }, level: 'warning' },
          { descriptor: { id: 'not-covered' } },
          { descriptor: { id: 'unknown-lock' } },
          {
            message: { text: '1 file that is too large' },
            locations: [{ physicalLocation: { artifactLocation: { uri: 'huge.sql' } } }],
          },
          { descriptor: { id: 'not-text' }, locations: [{}, {}] },
          { descriptor: { id: 'vendored' } },
        ],
      },
    ]);
    // The next scan takes what it knows from the cache, and still says it.
    expect((await bench.run('r2', 'dependency_audit')).unseen).toEqual(unseen);
    bench.commit({ 'huge.sql': null, 'icon.png': null, 'blob.dat': null, 'deps/lua/a.c': null });
    const later = (await bench.run('r3', 'security_scan')).unseen;
    // The history still has the large file.
    expect(later.filter((one) => one.includes('too large'))).toEqual(['1 file that is too large (huge.sql)']);
  });

  it('finds tokens under every name, in every encoding and in long files', async () => {
    const token = `ghp_${createHash('sha256').update('a token').digest('hex').slice(0, 36)}`;
    const code = `module.exports = { token: '${token}' };\n`;
    const paths =
      'src/config.js src/bootstrap.js src/bootstrap-prod.js src/respond.js external/payments.js extern/api.js deps/config.js service-1.0/config.js app-2.3.1/settings.js src/vendors/list.js vendor/config.js venv/notes.js node_modules/a/b.js yarn.lock dist/a.js.map';
    const wide = Buffer.from('DB_HOST=db.internal\nDB_PASSWORD=q7Rk2vXm9TzLp4Ws\n', 'utf16le');
    const line = 'one more line of this long file\n';
    bench.commit({
      ...Object.fromEntries(paths.split(' ').map((path) => [path, Buffer.from(code)])),
      'wide.env': Buffer.concat([Buffer.from([0xff, 0xfe]), wide]),
      'bare.env': wide,
      'nul.env': Buffer.from('DB_PASSWORD=q7Rk2vXm9TzLp4Ws\n\0'),
      'long.txt': Buffer.from(line.repeat(60_000) + code + line.repeat(40_000) + drawKey('a long file')),
      'one-line.json': Buffer.from(`{"a":"${'b'.repeat(2_000_000)}","t":"${token}"}`),
    });
    await bench.run('r1', 'security_scan');
    const found = (await bench.findings.list({ project: bench.project, analyzers: ['secrets'] }, 1_000)).map(
      ({ rule, path, line: at }) => `${rule} ${path}:${at}`,
    );
    expect(found.toSorted()).toEqual(
      [
        ...paths.split(' ').map((path) => `secrets/credential ${path}:1`),
        'secrets/credential long.txt:60001',
        'secrets/private-key long.txt:100002',
        'secrets/credential one-line.json:1',
        ...['bare.env:2', 'nul.env:1', 'wide.env:2'].map((at) => `secrets/env-value ${at}`),
      ].toSorted(),
    );
  });

  it('continues without an agent whose process died ten times', async () => {
    bench.commit({ 'src/main.ts': CONFLICT, ...README });
    // What ten attempts leave behind that died in the scan for secrets.
    await bench.jobs.pool.query(
      `with run as (insert into repository_runs (run_id, project, chain, ref, is_dry) values ('r1', 'shop', 'dependency_audit', 'HEAD', false))
       insert into repository_agent_runs (run_id, step, agent, agent_class, begun) values ('r1', 2, 'secrets_and_risk', 'READ_ONLY_SCAN', 10)`,
    );
    expect(await bench.run('r1', 'dependency_audit')).toMatchObject({
      status: 'completed',
      left: [{ agent: 'secrets_and_risk', problem: 'it was begun 10 times and never came to its end' }],
    });
  });

  it('stops after its current step when its job was cancelled or failed', async () => {
    const { pool } = bench.jobs;
    for (const [run, status] of [
      ['c1', 'cancelled'],
      ['c2', 'failed'],
    ] as const) {
      await pool.query(
        `insert into runs (run_id, job, payload, trace_id, status) values ($1, 'repository.chain', '{}', 'trc_test', 'running')`,
        [run],
      );
      await pool.query(
        `insert into repository_runs (run_id, project, chain, ref, is_dry) values ($1, 'shop', 'tech_debt', 'HEAD', false)`,
        [run],
      );
      await pool.query(
        `insert into repository_agent_runs (run_id, step, agent, agent_class) values ($1, 0, 'discovery', 'READ_ONLY_SCAN')`,
        [run],
      );
      await pool.query(`update runs set status = $2, finished_at = now() where run_id = $1`, [run, status]);
    }
    const over = ['cancelled', 'failed'].map((problem) => ({ status: 'stopped', problem, over: true }));
    for (const table of ['repository_runs', 'repository_agent_runs'])
      expect(
        await rows(`select status, problem, finished_at is not null as over from ${table} order by run_id`),
      ).toEqual(over);
  });

  it('scans the named tag, branch or commit', async () => {
    bench.commit({ 'src/main.ts': CONFLICT, ...README });
    bench.git('tag', 'v1');
    const head = bench.commit({ 'src/main.ts': PLAIN });
    expect(await bench.run('r1', 'tech_debt', { ref: 'v1' })).toMatchObject({ counts: { opened: 1 } });
    expect(await bench.run('r2', 'tech_debt', { ref: head })).toMatchObject({ commit: head, counts: { fixed: 1 } });
    expect(await bench.run('r3', 'tech_debt', { ref: 'nowhere' })).toMatchObject({ status: 'stopped' });
  });
});
