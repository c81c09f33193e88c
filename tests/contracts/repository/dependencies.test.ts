import { describe, expect, it } from 'vitest';
import { DEPENDENCIES_ANALYZER } from '@signalbox/analysis/analyzers/dependencies/dependencies';
import { findRule } from '@signalbox/analysis/rules/rules';
import { runInLanguage } from '@signalbox/messages/language';
import { LOOK_ALIKES } from '../../fixtures/planted/dependencies/look-alikes.ts';
import { PROBLEM_FILES, PROBLEMS } from '../../fixtures/planted/dependencies/problems.ts';
import { analyze } from '../../support/analyze.ts';

const inOrder = (found: readonly { readonly rule: string; readonly path: string }[]): readonly string[] =>
  found.map(({ rule, path }) => `${path} ${rule}`).sort();

describe('planted problems with dependencies', () => {
  it('are all found, and nothing else is reported', async () => {
    const { found } = await analyze(DEPENDENCIES_ANALYZER, PROBLEM_FILES);
    expect(inOrder(found)).toEqual(inOrder(PROBLEMS));
  });

  it('are all found among files that only look similar, none of which is reported', async () => {
    const { found } = await analyze(DEPENDENCIES_ANALYZER, { ...LOOK_ALIKES, ...PROBLEM_FILES });
    expect(inOrder(found)).toEqual(inOrder(PROBLEMS));
  });

  it('are described in every language with their names and figures', async () => {
    const { found } = await analyze(DEPENDENCIES_ANALYZER, PROBLEM_FILES);
    for (const language of ['en', 'de', 'es', 'ru', 'zh'])
      runInLanguage(language, () => {
        for (const { rule, values } of found) {
          const sentence = findRule(rule)?.say(values) ?? '';
          expect(sentence).toContain(String(values['name'] ?? values['first'] ?? values['host'] ?? ''));
          expect(findRule(rule)?.why()).toMatch(/\S/);
        }
      });
  });

  it('keep their identity when lines are put in front of them', async () => {
    const identities = async (texts: Readonly<Record<string, string>>): Promise<readonly string[]> =>
      (await analyze(DEPENDENCIES_ANALYZER, texts)).found.map(({ rule, path, identity }) =>
        [rule, path, identity].join(),
      );
    const moved = Object.fromEntries(
      Object.entries(PROBLEM_FILES).map(([path, text]) => [path, path.endsWith('.json') ? `\n\n${text}` : text]),
    );
    expect(await identities(moved)).toEqual(await identities(PROBLEM_FILES));
    expect(new Set(await identities(moved)).size).toBe(PROBLEMS.length);
  });
});
