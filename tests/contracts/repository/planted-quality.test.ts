import type { RawFinding } from '@signalbox/contracts/repository/finding';
import { DOCUMENTATION_ANALYZER } from '@signalbox/analysis/analyzers/documentation/documentation';
import { CODE_ANALYZER } from '@signalbox/analysis/analyzers/quality/code/code';
import { DUPLICATES_ANALYZER } from '@signalbox/analysis/analyzers/quality/duplicates/duplicates';
import { HEALTH_ANALYZER } from '@signalbox/analysis/analyzers/quality/health/health';
import { HOT_SPOTS_ANALYZER } from '@signalbox/analysis/analyzers/quality/hot-spots';
import { runInLanguage, LANGUAGES } from '@signalbox/messages/language';
import { findRule } from '@signalbox/analysis/rules/rules';
import { QUALITY_RULES } from '@signalbox/analysis/rules/quality';
import { describe, expect, it } from 'vitest';
import {
  LACKING_REPOSITORIES,
  PLANTED_QUALITY,
  QUALITY_CHURN,
  QUALITY_FILES,
  QUALITY_HISTORY,
  QUALITY_LOOK_ALIKES,
} from '../../fixtures/planted/quality.ts';
import { analyze } from '../../support/analyze.ts';

type More = Parameters<typeof analyze>[2];

async function scan(texts: Readonly<Record<string, string>>, more: More = {}): Promise<readonly RawFinding[]> {
  const all = [
    await analyze(CODE_ANALYZER, texts, more),
    await analyze(DUPLICATES_ANALYZER, texts, more),
    await analyze(HOT_SPOTS_ANALYZER, texts, more),
    await analyze(HEALTH_ANALYZER, texts, more),
    await analyze(DOCUMENTATION_ANALYZER, texts, more),
  ];
  return all.flatMap(({ found }) => found);
}

const places = (found: readonly RawFinding[]): readonly string[] =>
  found.map(({ rule, path }) => `${rule} ${path}`).toSorted();
const wanted = (all: readonly (readonly [string, string])[]): readonly string[] =>
  all.map((one) => one.join(' ')).toSorted();

const shop = scan(QUALITY_FILES, { churn: QUALITY_CHURN, history: () => Promise.resolve(QUALITY_HISTORY) });

describe('a shop with planted problems', () => {
  it('has every planted problem found, and nothing else reported', async () => {
    expect(places(await shop)).toEqual(wanted(PLANTED_QUALITY));
  });

  it('has no finding in files that only look like a problem', async () => {
    const found = (await shop).filter(({ path }) => QUALITY_LOOK_ALIKES.includes(path));
    expect(found).toEqual([]);
    expect(QUALITY_LOOK_ALIKES.filter((path) => QUALITY_FILES[path] === undefined)).toEqual([]);
  });

  it.each(LACKING_REPOSITORIES)(
    'differs from a repository that lacks something as a whole, which has exactly these findings: $found',
    async ({ files, found }) => {
      expect(places(await scan(files))).toEqual(wanted(found));
    },
  );

  it('uses, with the lacking repositories, every rule, and each rule has sentences in every language', async () => {
    const found = [
      ...(await shop),
      ...(await Promise.all(LACKING_REPOSITORIES.map(({ files }) => scan(files)))).flat(),
    ];
    expect([...new Set(found.map(({ rule }) => rule))].toSorted()).toEqual(Object.keys(QUALITY_RULES).toSorted());
    for (const language of LANGUAGES)
      runInLanguage(language, () => {
        for (const { rule, values } of found) {
          expect(findRule(rule)?.say(values)).toMatch(/\S/);
          expect(findRule(rule)?.why()).toMatch(/\S/);
        }
      });
  });

  it('has findings that differ in rule, path or identity', async () => {
    const keys = (await shop).map(({ rule, path, identity }) => `${rule}\n${path}\n${identity}`);
    expect(new Set(keys).size).toBe(keys.length);
  });
});
