import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ChainName, CHAINS } from '@signalbox/contracts/repository/chains';
import { STEPS } from '@signalbox/analysis/steps/steps';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OSV_RECORDS } from '../../fixtures/planted/dependencies/osv-records.ts';
import { PLANTED, PLANTED_FILES } from '../../fixtures/planted/repository.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';
import { openRepositoryBench, type RepositoryBench } from './repository-bench.ts';

const LICENSE = 'MIT License\n\nPermission is hereby granted, free of charge, to any person obtaining a copy\n';

/** Changes of one file by one person. */
interface Work {
  readonly path: string;
  readonly people: readonly string[];
  readonly times: number;
}
const WORK: readonly Work[] = [
  { path: 'src/orders/checkout.ts', people: ['Ada', 'Ben', 'Cleo', 'Dara'], times: 16 },
  { path: 'src/catalog/catalog.ts', people: ['Ada'], times: 11 },
];

let bench: RepositoryBench;
beforeAll(async () => {
  const osv = makeTemporaryFolder('osv');
  for (const [path, text] of Object.entries(OSV_RECORDS)) {
    mkdirSync(dirname(join(osv, path)), { recursive: true });
    writeFileSync(join(osv, path), text);
  }
  bench = await openRepositoryBench({ settings: { OSV_DIR: osv } });
  bench.commit(PLANTED_FILES);
  bench.pass(400);
  for (const { path, people, times } of WORK)
    for (let n = 0; n < times; n += 1) {
      const name = people[n % people.length] ?? '';
      writeFileSync(join(bench.folder, path), `${PLANTED_FILES[path]}// ${n}\n`);
      bench.git('-c', `user.email=${name}@example.org`, 'commit', '--quiet', '--all', '--message', 'change');
    }
}, 120_000);
afterAll(() => bench.close());

const analyzersOf = (chain: ChainName): readonly string[] =>
  CHAINS[chain].flatMap(({ name }) => STEPS[name]?.analyzers ?? []);
const about = (chain: ChainName): readonly string[] =>
  PLANTED.filter((one) => analyzersOf(chain).includes(one.split('/')[0] ?? ''));

describe('a repository in which more than sixty problems are planted', { timeout: 120_000 }, () => {
  it.each(ChainName.options)(
    'has exactly the problems reported that the agents of the chain %s look for',
    async (chain) => {
      const result = await bench.run(chain, chain);
      expect(result).toMatchObject({ status: 'completed', problem: null, left: [], isFirst: true });
      // Two of what is planted are too large to be read, which is said.
      expect(result.unseen.join()).toContain('2 files that are too large (dump/data.bin, assets/photo.jpg)');
      const open = await bench.findings.list({ project: bench.project, analyzers: analyzersOf(chain) }, 1_000);
      expect(open.map(({ rule, path }) => `${rule} ${path}`).toSorted()).toEqual(about(chain));
      expect(result.total).toBe(about(chain).length);
    },
  );

  it('has each finding reported once, and closed when it is fixed, except secrets in the history', async () => {
    expect(PLANTED.length).toBeGreaterThan(60);
    expect(await bench.list()).toHaveLength(PLANTED.length);
    bench.git('rm', '-r', '--quiet', '.');
    bench.commit({ LICENSE: LICENSE, 'README.md': '# Shop\n' });
    const secrets = PLANTED.filter((one) => one.startsWith('secrets/')).length;
    expect((await bench.run('after', 'full_analysis')).counts).toEqual({
      opened: secrets,
      reopened: 0,
      fixed: PLANTED.length,
      open: secrets,
    });
    const open = await bench.findings.list({ project: bench.project, status: 'open' }, 1_000);
    expect(new Set(open.map(({ rule }) => rule))).toEqual(new Set(['secrets/in-history']));
  });
});
