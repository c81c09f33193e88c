import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createRelationshipStore } from '@signalbox/store/repository/relationships';
import { openRepositoryBench, type RepositoryBench, type TestProject } from './repository-bench.ts';

const manifest = (name: string, dependencies: Readonly<Record<string, string>> = {}) => ({
  'package.json': JSON.stringify({ name, version: '1.0.0', dependencies }),
});

describe('relationships between projects', { timeout: 120_000 }, () => {
  let bench: RepositoryBench;
  let cups: TestProject;
  beforeEach(async () => {
    bench = await openRepositoryBench();
    cups = await bench.openProject('cups');
    cups.commit(manifest('@acme/cups'));
    bench.commit(manifest('shop', { '@acme/cups': '^1.0.0', react: '^18.0.0' }));
  });
  afterEach(() => bench.close());

  /** `shop uses cups by npm @acme/cups`. */
  const related = async (): Promise<readonly string[]> => {
    const { rows } = await bench.jobs.pool.query<{ line: string }>(
      `select project || ' uses ' || depends_on || ' by ' || package as line from project_relationships order by 1`,
    );
    return rows.map(({ line }) => line);
  };

  it.each(['shop', 'cups'])(
    'are found when %s is scanned first, and are removed with the dependency',
    async (first) => {
      const inTurn = first === 'shop' ? [bench, cups] : [cups, bench];
      for (const [at, one] of inTurn.entries()) {
        expect(await related()).toEqual([]);
        expect(await one.run(`r${at}`, 'dependency_audit')).toMatchObject({ status: 'completed' });
      }
      expect(await related()).toEqual(['shop uses cups by npm @acme/cups']);
      const relationships = createRelationshipStore(bench.jobs.pool);
      expect(await relationships.isKnown('shop')).toBe(true);
      const by = { packages: ['npm @acme/cups'], total: 1 };
      expect(await relationships.dependsOn('shop', 10)).toEqual([{ project: 'cups', ...by }]);
      expect(await relationships.usedBy('cups', 10)).toEqual([{ project: 'shop', ...by }]);
      expect(await relationships.usedBy('shop', 10)).toEqual([]);

      bench.commit(manifest('shop', { react: '^18.0.0' }));
      await bench.run('r3', 'dependency_audit');
      expect(await related()).toEqual([]);
    },
  );

  it('end when the package is renamed, and return when it has its old name again', async () => {
    await bench.run('r1', 'dependency_audit');
    await cups.run('r2', 'dependency_audit');
    cups.commit(manifest('@acme/mugs'));
    await cups.run('r3', 'dependency_audit');
    expect(await related()).toEqual([]);
    cups.commit(manifest('@acme/cups'));
    await cups.run('r4', 'dependency_audit');
    expect(await related()).toEqual(['shop uses cups by npm @acme/cups']);
  });

  it('are found when both projects are scanned at the same time', async () => {
    await Promise.all([bench.ask('r1', 'dependency_audit'), cups.ask('r2', 'dependency_audit')]);
    await Promise.all(['r1', 'r2'].map((run) => bench.result(run)));
    expect(await related()).toEqual(['shop uses cups by npm @acme/cups']);
  });

  it('point to every project with the package name, and never to the project itself', async () => {
    const other = await bench.openProject('other-cups');
    other.commit(manifest('@acme/cups', { shop: '*' }));
    bench.commit({ 'packages/tea/package.json': JSON.stringify({ name: 'tea', dependencies: { shop: '*' } }) });
    for (const [at, one] of [bench, cups, other].entries()) await one.run(`r${at}`, 'dependency_audit');
    expect(await related()).toEqual([
      'other-cups uses shop by npm shop',
      'shop uses cups by npm @acme/cups',
      'shop uses other-cups by npm @acme/cups',
    ]);
  });

  it('are unchanged after a dry run, and after a chain that reads no package manifest', async () => {
    await cups.run('r1', 'dependency_audit');
    await bench.run('r2', 'dependency_audit', { isDry: true });
    expect(await related()).toEqual([]);
    expect(await createRelationshipStore(bench.jobs.pool).isKnown('shop')).toBe(false);
    await bench.run('r3', 'dependency_audit');
    bench.commit({ 'package.json': null });
    await bench.run('r4', 'dependency_audit', { isDry: true });
    await bench.run('r5', 'security_scan');
    expect(await related()).toEqual(['shop uses cups by npm @acme/cups']);
  });
});
