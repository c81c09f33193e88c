import { describe, expect, it } from 'vitest';
import { HOT_SPOTS_ANALYZER } from '@signalbox/analysis/analyzers/quality/hot-spots';
import { analyze } from '../../support/analyze.ts';

const DAY = 86_400;
const NOW = Date.UTC(2026, 0, 1) / 1_000;
const deep = (lines: number): string => `function a() {\n${'        b();\n'.repeat(lines - 2)}}\n`;
const many = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`src/${n}.ts`, deep(300)]));
const history = { commits: 900, authors: 4, firstAt: NOW - 900 * DAY, branches: 1, tags: 0 };

describe('hot spots', () => {
  it('are the few files that are complex and often changed', async () => {
    const churn = {
      ...Object.fromEntries(Object.keys(many).map((path) => [path, { commitsOfYear: 12, authors: 3 }])),
      'src/7.ts': { commitsOfYear: 60, authors: 3 },
      'src/short.ts': { commitsOfYear: 300, authors: 3 },
    };
    const texts = { ...many, 'src/short.ts': deep(50) };
    const { found } = await analyze(HOT_SPOTS_ANALYZER, texts, { churn, history: () => Promise.resolve(history) });
    expect(found).toEqual([
      expect.objectContaining({
        rule: 'hot-spots/complex-and-changed',
        path: 'src/7.ts',
        values: { lines: 300, commits: 60 },
      }),
      expect.objectContaining({ path: expect.stringMatching(/^src\/\d+\.ts$/) }),
    ]);
  });

  it('are not reported in a small, young or inactive repository', async () => {
    const busy = Object.fromEntries(Object.keys(many).map((path) => [path, { commitsOfYear: 60, authors: 3 }]));
    const of = async (
      texts: Readonly<Record<string, string>>,
      churn: typeof busy,
      firstAt: number,
    ): Promise<number> => {
      const view = { churn, history: () => Promise.resolve({ ...history, firstAt }) };
      return (await analyze(HOT_SPOTS_ANALYZER, texts, view)).found.length;
    };
    expect(await of(many, busy, NOW - 900 * DAY)).toBe(1);
    expect(await of({ 'src/1.ts': deep(300) }, busy, NOW - 900 * DAY)).toBe(0);
    expect(await of(many, busy, NOW - 90 * DAY)).toBe(0);
    const calm = Object.fromEntries(Object.keys(many).map((path) => [path, { commitsOfYear: 9, authors: 3 }]));
    expect(await of(many, calm, NOW - 900 * DAY)).toBe(0);
  });

  it('name a file that only one person of a team has changed', async () => {
    const texts = { ...many, 'src/own.ts': deep(600), 'src/shared.ts': deep(700) };
    const churn = {
      'src/own.ts': { commitsOfYear: 15, commits: 40, authors: 1 },
      'src/shared.ts': { commitsOfYear: 15, commits: 40, authors: 2 },
    };
    const islands = async (authors: number): Promise<readonly string[]> => {
      const view = {
        churn: { ...Object.fromEntries(Object.keys(many).map((one) => [one, {}])), ...churn },
        history: () => Promise.resolve({ ...history, authors }),
      };
      const { found } = await analyze(HOT_SPOTS_ANALYZER, texts, view);
      return found.flatMap(({ rule, path }) => (rule === 'hot-spots/one-author' ? [path] : []));
    };
    expect(await islands(4)).toEqual(['src/own.ts']);
    expect(await islands(1)).toEqual([]);
  });
});
