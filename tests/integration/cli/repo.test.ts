import { afterEach, beforeEach, expect, inject, it } from 'vitest';
import { openRepositoryBench, type RepositoryBench } from '../jobs/repository-bench.ts';
import { openTerminal, type Written } from './terminal.ts';

const CONFLICT = 'export const a = 1;\n<<<<<<< HEAD\nexport const b = 2;\n=======\nexport const b = 3;\n>>>>>>> side\n';
const README = { 'README.md': '# Shop\n' };

let bench: RepositoryBench;
let signalbox: (...words: readonly string[]) => Promise<Written>;

beforeEach(async () => {
  bench = await openRepositoryBench();
  signalbox = openTerminal({
    DATABASE_URL: bench.jobs.databaseUrl,
    REDIS_URL: inject('redisUrl'),
    REDIS_PREFIX: bench.jobs.prefix,
  });
});
afterEach(() => bench.close());

it('the `repo` commands run a chain, and list, accept, compare and restore its findings', async () => {
  bench.commit({ 'src/main.ts': CONFLICT, ...README });
  const dry = await signalbox('repo', 'chain', 'tech_debt', 'shop', '--dry', '--json');
  expect(dry).toMatchObject({ code: 0, json: { isDry: true, total: 1 } });
  const scanned = await signalbox('repo', 'scan', 'shop', '--chain', 'tech_debt', '--json');
  expect(scanned).toMatchObject({ code: 0, json: { status: 'completed', counts: { opened: 1 } } });
  // Whoever asks for what is severe learns of it by the exit code.
  expect(await signalbox('repo', 'findings', 'shop', '--severity', 'high')).toMatchObject({ code: 1 });
  const { json } = await signalbox('repo', 'findings', 'shop', '--json');
  const [found] = json as { findingId: string }[];
  const number = found?.findingId ?? '';
  expect((await signalbox('repo', 'findings', 'shop', '--sarif', '--json')).json).toMatchObject({ version: '2.1.0' });

  expect(await signalbox('repo', 'baseline', 'set', 'shop', 'start')).toMatchObject({ code: 0 });
  expect(await signalbox('repo', 'baseline', 'compare', 'shop', 'start')).toMatchObject({ code: 0 });
  expect((await signalbox('repo', 'snapshot', 'shop')).out).toContain('holds 1 findings');

  expect(await signalbox('repo', 'accept', 'shop', number)).toMatchObject({ code: 2 });
  expect(await signalbox('repo', 'accept', 'shop', number, '--reason', 'a demo', '--for', '30d')).toMatchObject({
    code: 0,
  });
  expect(await bench.list()).toEqual(['accepted high code/merge-conflict src/main.ts']);
  bench.commit({ 'src/other.ts': CONFLICT });
  await signalbox('repo', 'scan', 'shop', '--chain', 'tech_debt');
  expect(await signalbox('repo', 'baseline', 'compare', 'shop', 'start')).toMatchObject({ code: 1 });

  const [snapshot] = (await signalbox('repo', 'snapshots', 'shop', '--json')).json as { snapshotId: string }[];
  const id = snapshot?.snapshotId ?? '';
  expect(await signalbox('repo', 'rollback', 'shop', id)).toMatchObject({ code: 2 });
  expect(await bench.list()).toHaveLength(2);
  expect(await signalbox('repo', 'rollback', 'shop', id, '--force')).toMatchObject({ code: 0 });
  expect(await bench.list()).toEqual(['open high code/merge-conflict src/main.ts']);
  const { rows } = await bench.jobs.pool.query(
    `select kind from audit_events where kind like 'registry.%' or kind like 'finding.%' order by event_id`,
  );
  expect(rows.map(({ kind }: { kind: string }) => kind)).toEqual([
    'registry.snapshot_made',
    'finding.accepted',
    'registry.snapshot_made',
    'registry.restored',
  ]);
}, 120_000);

it('a project tag is stored once whatever its case, can be removed, and is audited', async () => {
  expect((await signalbox('repo', 'tag', 'shop', '#Payments')).out).toContain('Tags of shop: payments');
  expect(await signalbox('repo', 'tag', 'shop', 'PAYMENTS', '--json')).toMatchObject({
    code: 0,
    json: { project: 'shop', tags: ['payments'] },
  });
  await bench.openProject('cups');
  expect((await signalbox('repo', 'list', '--tag', 'Payments')).out).toMatch(
    /PROJECT +CRITICAL.*\nshop +0 +0 +0 +0 +0 +– +payments\n?$/,
  );
  expect(await signalbox('repo', 'list', '--limit', '1', '--json')).toMatchObject({
    code: 0,
    json: { total: 2, repositories: [{ project: 'cups', tags: [], scannedAt: null, open: { critical: 0 } }] },
  });
  expect((await signalbox('repo', 'list', '--tag', 'nobody')).out).toContain('No project is tagged nobody.');
  const refused = await signalbox('repo', 'tag', 'shop', 'two words');
  expect(refused).toMatchObject({ code: 2 });
  expect(refused.error).toContain("'two words' is no tag");
  expect((await signalbox('repo', 'tag', 'shop', 'payments', '--remove')).out).toContain('Tags of shop: none');
  const missing = await signalbox('repo', 'tag', 'shop', 'payments', '--remove');
  expect(missing).toMatchObject({ code: 1 });
  expect(missing.error).toContain('payments');
  const { rows } = await bench.jobs.pool.query(
    `select kind, data ->> 'tag' as tag from audit_events where kind like 'project.%' order by event_id`,
  );
  expect(rows).toEqual([
    { kind: 'project.tagged', tag: 'payments' },
    { kind: 'project.tagged', tag: 'payments' },
    { kind: 'project.untagged', tag: 'payments' },
  ]);
});

it('`repo relations` lists the projects that a project depends on, with their packages', async () => {
  const cups = await bench.openProject('cups');
  cups.commit({ 'package.json': JSON.stringify({ name: '@acme/cups' }) });
  bench.commit({ 'package.json': JSON.stringify({ name: 'shop', dependencies: { '@acme/cups': '^1.0.0' } }) });
  expect((await signalbox('repo', 'relations', 'shop')).out).toContain('repo chain dependency_audit shop');
  for (const project of ['shop', 'cups']) await signalbox('repo', 'chain', 'dependency_audit', project);
  expect((await signalbox('repo', 'relations', 'shop')).out).toMatch(/depends on +cups +npm @acme\/cups/);
  expect(await signalbox('repo', 'relations', 'cups', '--json')).toMatchObject({
    code: 0,
    json: { isKnown: true, dependsOn: [], usedBy: [{ project: 'shop', packages: ['npm @acme/cups'], total: 1 }] },
  });
}, 120_000);

it('a snapshot whose stored bytes were changed is not restored', async () => {
  bench.commit({ 'src/main.ts': CONFLICT, ...README });
  await signalbox('repo', 'scan', 'shop', '--chain', 'tech_debt');
  await signalbox('repo', 'snapshot', 'shop');
  await bench.jobs.pool.query(
    `update repository_snapshots set content = set_byte(content, 12, get_byte(content, 12) # 1)`,
  );
  const refused = await signalbox('repo', 'rollback', 'shop', '1', '--force');
  expect(refused).toMatchObject({ code: 1 });
  expect(refused.error).toContain('Nothing was restored');
  expect(await bench.list()).toEqual(['open high code/merge-conflict src/main.ts']);
}, 120_000);

it('`repo agents` lists every agent of a chain with the folders it may write to', async () => {
  const { out } = await signalbox('repo', 'agents');
  expect(out).toMatch(/report_writer\s+WRITE_GATED\s+prompts\/ var\/artifacts\/ var\/cache\//);
  expect(out).toMatch(/discovery\s+READ_ONLY_SCAN\s+nothing/);
  expect(await signalbox('repo', 'verify')).toMatchObject({ code: 0 });
});
