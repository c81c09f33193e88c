import { describe, expect, it } from 'vitest';
import { findSecrets } from '@signalbox/analysis/analyzers/secrets/secrets/find-secrets';
import { SECRETS_ANALYZER } from '@signalbox/analysis/analyzers/secrets/secrets/secrets';
import type { FileFacts } from '@signalbox/analysis/analyzer';
import { analyze } from '../../support/analyze.ts';
import { drawKey, NO_SECRETS, PLANTED_SECRETS } from '../../fixtures/planted/secrets.ts';

describe('secrets in a repository', () => {
  it.each(PLANTED_SECRETS)(
    'are found by $rule in $path, and no finding contains the secret',
    async ({ rule, path, text }) => {
      const { found } = await analyze(SECRETS_ANALYZER, { [path]: text });
      expect(found.map((one) => one.rule)).toEqual([rule]);
      const said = JSON.stringify(found);
      for (const { value } of findSecrets(path, text)) expect(said).not.toContain(value.slice(0, 12));
    },
  );

  it.each(Object.entries(NO_SECRETS))('are not reported in %s, which only looks like a secret', async (path, text) => {
    expect((await analyze(SECRETS_ANALYZER, { [path]: text })).found).toEqual([]);
  });

  it('keep their identity when they move in a file, and are one finding however often they occur there', async () => {
    const [, , , , , , , github] = PLANTED_SECRETS;
    const { path = '', text = '' } = github ?? {};
    const [first, moved] = await Promise.all(
      [text, `# moved\n\n${text}${text}`].map(async (it) => (await analyze(SECRETS_ANALYZER, { [path]: it })).found),
    );
    expect(moved).toEqual([{ ...first?.[0], line: 3 }]);
  });

  it('that exist only in the history are reported once, with the commit that added them', async () => {
    const [text, other] = [drawKey('past'), drawKey('present')];
    const noted = await Promise.all(
      [
        { path: 'a.pem', text, commit: 'c1'.repeat(20) },
        { path: 'a.pem', text: `\n${text}`, commit: 'c2'.repeat(20) },
        { path: 'b.pem', text: other, commit: 'c1'.repeat(20) },
        { path: 'c.pem', text: other, commit: null },
      ].map(async (it): Promise<FileFacts<never>> => {
        const facts = (await SECRETS_ANALYZER.inspect(it.path, it.text)) as never; // its own facts
        return { path: it.path, blob: it.path, facts, commit: it.commit, isCurrent: it.commit === null };
      }),
    );
    const { found, summary } = await analyze(
      { ...SECRETS_ANALYZER, conclude: (_, view) => SECRETS_ANALYZER.conclude(noted, view) },
      {},
    );
    expect(found.map(({ rule, path, line, values }) => ({ rule, path, line, values }))).toEqual([
      { rule: 'secrets/private-key', path: 'c.pem', line: 1, values: { kind: 'private key' } },
      {
        rule: 'secrets/in-history',
        path: 'a.pem',
        line: null,
        values: { kind: 'private key', commit: 'c1'.repeat(6) },
      },
    ]);
    expect(summary).toEqual({ current: 1, inHistory: 1 });
  });

  it('are less severe in tests and examples than in product code', async () => {
    const text = drawKey('weight');
    const { found } = await analyze(SECRETS_ANALYZER, { 'a.key': text, 'test/a.key': text, 'docs/a.md': text });
    expect(found.map(({ severity }) => severity)).toEqual(['critical', 'info', 'low']);
  });

  it.each([
    'a',
    '[',
    '"',
    '=',
    ':',
    ' ',
    'password=',
    'token: "',
    '-----BEGIN PRIVATE KEY-----',
    'https://a:',
    'eyJ.',
    'secret',
    '\n',
    '${',
  ])('are searched for in a megabyte of %j in less than a second', async (piece) => {
    const text = piece.repeat(1_000_000 / piece.length);
    // The processor's time, not the clock's: the machine may be busy with something else.
    const before = process.cpuUsage();
    await SECRETS_ANALYZER.inspect('src/a.ts', text);
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(1_000);
  });
});
