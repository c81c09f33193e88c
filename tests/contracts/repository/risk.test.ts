import { describe, expect, it } from 'vitest';
import { RISK_ANALYZER } from '@signalbox/analysis/analyzers/secrets/risk/risk';
import { analyze } from '../../support/analyze.ts';
import { NO_RISKS, PLANTED_RISKS } from '../../fixtures/planted/risk.ts';

describe('risks in a repository', () => {
  it.each(PLANTED_RISKS)('are found by $rule in $path', async ({ rule, path, text }) => {
    const { found } = await analyze(RISK_ANALYZER, { [path]: text });
    expect(found.map((one) => one.rule)).toEqual([rule]);
  });

  it.each(Object.entries(NO_RISKS))('are not reported in %s, which only looks like a risk', async (path, text) => {
    expect((await analyze(RISK_ANALYZER, { [path]: text })).found).toEqual([]);
  });

  it('include links that lead out of the repository, and no other links', async () => {
    const links = [
      { path: 'a/b', target: '../../etc/passwd' },
      { path: 'a/c', target: '/etc/passwd' },
      { path: 'a/d', target: '../e' },
    ];
    const { found } = await analyze(RISK_ANALYZER, {}, { links });
    expect(found.map(({ rule, path }) => `${rule} ${path}`)).toEqual([
      'risk/link-outside a/b',
      'risk/link-outside a/c',
    ]);
  });

  it.each(['curl ', 'curl https://a', '[', ' ', '- ', '"', 'uses: a/', '${{ github.', 'eval(', '\n', 'FROM '])(
    'are searched for in a megabyte of %j in less than a second',
    async (piece) => {
      const text = piece.repeat(1_000_000 / piece.length);
      for (const path of [
        'a.sh',
        'src/a.ts',
        'a.py',
        '.github/workflows/a.yml',
        'Dockerfile',
        'package.json',
        'docker-compose.yml',
      ]) {
        // The processor's time, not the clock's: the machine may be busy with something else.
        const before = process.cpuUsage();
        await RISK_ANALYZER.inspect(path, text);
        expect(process.cpuUsage(before).user / 1_000).toBeLessThan(1_000);
      }
    },
  );
});
