import { describe, expect, it } from 'vitest';
import { ANALYZERS } from '@signalbox/analysis/analyzers/analyzers';
import { findRule, RULES, saySeverity } from '@signalbox/analysis/rules/rules';
import { SEVERITIES } from '@signalbox/contracts/repository/finding';
import { analyze } from '../support/analyze.ts';

describe('rules of a scan', () => {
  it('begin with the name of their analyzer', () => {
    const names = new Set(ANALYZERS.map(({ name }) => name));
    expect(Object.keys(RULES).filter((rule) => !names.has(rule.split('/')[0] ?? ''))).toEqual([]);
  });

  it('are found only by their whole name, and not by names that every object has', () => {
    expect(['constructor', '__proto__', 'toString'].map(findRule)).toEqual([null, null, null]);
    for (const name of Object.keys(RULES)) expect(findRule(name)).toBe(RULES[name]);
  });

  it('have a word for each severity of a finding', () => {
    const words = SEVERITIES.map(saySeverity);
    expect(new Set(words).size).toBe(SEVERITIES.length);
  });
});

describe('every analyzer', () => {
  it('reports nothing, in two identical runs, for a repository without files', async () => {
    for (const one of ANALYZERS) {
      const [first, second] = [await analyze(one, {}), await analyze(one, {})];
      expect(second).toEqual(first);
    }
  });
});
