import fc from 'fast-check';
import { openPool, withTransaction, type Pool } from '@signalbox/store/pool';
import { createFindingStore, reconcileFindings } from '@signalbox/store/repository/findings';
import { createSnapshotStore } from '@signalbox/store/repository/snapshots';
import { createLog } from '@signalbox/platform/log';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createDatabase, type TestDatabase } from '../../support/database.ts';
import { migrateWithSamples } from '../../support/samples.ts';

// How many findings are open is kept beside them.

const ANALYZERS = ['code', 'risk'] as const;
const PROJECTS = ['shop', 'blog'] as const;
const by = { reason: 'known', userKey: '1001', threadId: null };

let database: TestDatabase;
let pool: Pool;
let n = 0;
const nextId = (): string => `act_${(n += 1)}`;

beforeAll(async () => {
  database = await createDatabase();
  await migrateWithSamples(database.url);
  pool = openPool(database.url, createLog('test', 'silent'), { name: 'test', max: 4, as: 'owner' });
  for (const project of PROJECTS)
    await pool.query(`insert into projects (name, description, owner, action_id) values ($1, '', '1001', $1)`, [
      project,
    ]);
});
beforeEach(() => pool.query('delete from repository_findings'));
afterAll(async () => {
  await pool.end();
  await database.drop();
});

const scan = (project: string, analyzer: string, names: readonly string[]): Promise<void> =>
  withTransaction(pool, (db) => {
    const found = names.map((name) => ({
      rule: `${analyzer}/${name}`,
      severity: name === 'a' ? ('high' as const) : ('low' as const),
      path: 'src/main.ts',
      line: n,
      evidence: '',
      values: {},
      fingerprint: Buffer.from(`${analyzer}/${name}`).toString('hex').padEnd(32, '0'),
    }));
    return reconcileFindings(db, { project, runId: nextId(), commit: 'c', analyzers: [analyzer], found });
  });

describe('the count of open findings', () => {
  const findings = () => createFindingStore(pool);
  const project = fc.constantFrom(...PROJECTS);
  const step = fc.oneof(
    fc.record({
      kind: fc.constant('scan' as const),
      project,
      analyzer: fc.constantFrom(...ANALYZERS),
      names: fc.subarray(['a', 'b', 'c', 'd']),
    }),
    fc.record({
      kind: fc.constantFrom('accept' as const, 'accept for a moment' as const, 'reopen' as const),
      project,
      place: fc.nat(7),
    }),
    fc.record({ kind: fc.constantFrom('snapshot' as const, 'restore' as const), project }),
  );

  it('equals the count of rows after scans, decisions and restored snapshots in any order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 12 }), async (steps) => {
        await pool.query('delete from repository_findings');
        for (const one of steps) {
          await perform(one);
          for (const name of PROJECTS) {
            const open = await findings().list({ project: name, status: 'open' }, 100);
            expect(await findings().count({ project: name })).toBe(open.length);
            const ofRisk = open.filter(({ analyzer }) => analyzer === 'risk').length;
            expect(await findings().count({ project: name, analyzers: ['risk'] })).toBe(ofRisk);
          }
        }
      }),
      { numRuns: 40 },
    );
  }, 120_000);

  async function perform(one: typeof step extends fc.Arbitrary<infer T> ? T : never): Promise<void> {
    const snapshots = createSnapshotStore(pool);
    const request = { ...by, project: one.project, actionId: nextId() };
    if (one.kind === 'scan') return scan(one.project, one.analyzer, one.names);
    if (!('place' in one)) {
      const newest =
        one.kind === 'snapshot' ? await snapshots.make(request) : (await snapshots.list(one.project, 1))[0];
      if (newest && one.kind === 'restore') await snapshots.restore(newest.snapshotId, request);
      return;
    }
    const known = (await findings().list({ project: one.project }, 100)).filter(({ status }) => status !== 'fixed');
    const { findingId } = known[one.place % (known.length || 1)] ?? {};
    if (findingId === undefined) return;
    const until = one.kind === 'accept for a moment' ? new Date(Date.now() - 1_000) : null;
    await (one.kind === 'reopen'
      ? findings().reopen({ ...request, findingId })
      : findings().accept({ ...request, findingId, until }));
  }

  it('is listed by analyzer, each finding once and the most severe first', async () => {
    await scan('shop', 'code', ['a', 'b', 'c']);
    await scan('shop', 'risk', ['a', 'd']);
    await scan('blog', 'code', ['a']);
    const [first] = await findings().list({ project: 'shop', status: 'open', analyzers: ['code'] }, 1);
    await findings().accept({
      ...by,
      project: 'shop',
      findingId: first?.findingId ?? '',
      actionId: nextId(),
      until: new Date(0),
    });
    const rules = async (analyzers: readonly string[] | undefined, limit = 10) =>
      (await findings().list({ project: 'shop', status: 'open', analyzers }, limit)).map(({ rule }) => rule);
    expect(await rules(['code', 'risk', 'code'])).toEqual(['code/a', 'risk/a', 'code/b', 'code/c', 'risk/d']);
    expect(await rules(['risk', 'code'], 3)).toEqual(['code/a', 'risk/a', 'code/b']);
    expect(await rules(['risk'])).toEqual(['risk/a', 'risk/d']);
    expect(await rules([])).toEqual([]);
    expect(await rules(undefined)).toEqual(['code/a', 'risk/a', 'code/b', 'code/c', 'risk/d']);
    await scan('shop', 'code', []);
    const all = (await findings().list({ project: 'shop' }, 10)).map(({ status, rule }) => `${status} ${rule}`);
    expect(all).toEqual(['fixed code/a', 'open risk/a', 'fixed code/b', 'fixed code/c', 'open risk/d']);
  });
});
