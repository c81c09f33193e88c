import { describe, expect, it } from 'vitest';
import {
  limitScore,
  SCORE_WEIGHTS,
  sayScorePart,
  scoreHealth,
  type ScoredSummaries,
} from '@signalbox/analysis/steps/score';
import { runInLanguage, LANGUAGES } from '@signalbox/messages/language';

const NOW = Date.UTC(2026, 0, 1) / 1_000;
const GOOD: ScoredSummaries = {
  code: {
    files: 10,
    lines: 1_000,
    testLines: 500,
    commentLines: 100,
    functions: 80,
    complexFunctions: 0,
    complexLines: 0,
    notes: 0,
    languages: [{ name: 'Go', lines: 1_000 }],
  },
  health: {
    hasReadme: true,
    hasBuild: true,
    buildRunsTests: true,
    hasIgnoreFile: true,
    lines: 1_000,
    testLines: 500,
    modules: 0,
    testedModules: 0,
    manifests: 1,
    locked: 1,
    commits: 100,
    authors: 1,
    committedAt: NOW,
  },
  duplicates: { lines: 900, copiedLines: 0, copies: 0 },
  documentation: { pages: 3, links: 10, deadLinks: 0, readmeHasCommands: true, hasContributing: false },
};

const score = (
  change: { readonly [Name in keyof ScoredSummaries]?: Partial<ScoredSummaries[Name]> },
  now = NOW,
): number => {
  const { code, health, duplicates, documentation } = GOOD;
  return scoreHealth(
    {
      code: { ...code, ...change.code },
      health: { ...health, ...change.health },
      duplicates: { ...duplicates, ...change.duplicates },
      documentation: { ...documentation, ...change.documentation },
    },
    now,
  ).score;
};

describe('the score of a repository', () => {
  it('counts the open findings: with five critical ones it is not 95', () => {
    expect(limitScore(95, {})).toBe(95);
    expect(limitScore(95, { low: 40, info: 90 })).toBe(95);
    expect(limitScore(95, { critical: 1 })).toBe(50);
    expect(limitScore(95, { critical: 5, high: 2 })).toBe(10);
    expect(limitScore(95, { high: 3 })).toBe(65);
    expect(limitScore(5, { critical: 1 })).toBe(5);
  });

  it('is 100 for a repository that lacks nothing, and the weights of its parts add up to 100', () => {
    expect(score({})).toBe(100);
    expect(Object.values(SCORE_WEIGHTS).reduce((sum, weight) => sum + weight, 0)).toBe(100);
  });

  it('falls by the weight of each missing part', () => {
    expect(score({ health: { testLines: 0 } })).toBe(75);
    expect(score({ health: { testLines: 250 } })).toBe(88);
    expect(score({ health: { modules: 4, testedModules: 3 } })).toBe(94);
    expect(score({ health: { hasBuild: false, buildRunsTests: false } })).toBe(85);
    expect(score({ health: { locked: 0 } })).toBe(90);
    expect(score({ code: { complexLines: 250 } })).toBe(90);
    expect(score({ duplicates: { copiedLines: 450 } })).toBe(90);
    expect(score({ health: { hasReadme: false }, documentation: { readmeHasCommands: false } })).toBe(89);
    expect(score({}, NOW + 800 * 86_400)).toBe(95);
  });

  it('leaves out parts without data', () => {
    const notes = { code: { lines: 0 }, health: { lines: 0, testLines: 0, manifests: 0 }, duplicates: { lines: 0 } };
    expect(score(notes)).toBe(100);
    expect(score({ ...notes, health: { ...notes.health, hasBuild: false, buildRunsTests: false } })).toBe(57);
  });

  it('names its parts in every language', () => {
    for (const language of LANGUAGES) {
      // The keys of the table are its parts.
      const parts = Object.keys(SCORE_WEIGHTS) as (keyof typeof SCORE_WEIGHTS)[];
      const names = runInLanguage(language, () => parts.map(sayScorePart));
      expect(new Set(names).size).toBe(parts.length);
    }
  });
});
