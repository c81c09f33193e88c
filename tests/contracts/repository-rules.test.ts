import { describe, expect, it } from 'vitest';
import { ANALYZERS } from '@signalbox/analysis/analyzers/analyzers';
import { findRule, RULES, saySeverity } from '@signalbox/analysis/rules/rules';
import { SEVERITIES } from '@signalbox/contracts/repository/finding';
import { analyze } from '../support/analyze.ts';

describe('rules of a scan', () => {
  it('have the name of their analyzer in front', () => {
    const names = new Set(ANALYZERS.map(({ name }) => name));
    expect(Object.keys(RULES).filter((rule) => !names.has(rule.split('/')[0] ?? ''))).toEqual([]);
  });

  it('are found by their whole name, and not by a property of every object', () => {
    expect(['constructor', '__proto__', 'toString'].map(findRule)).toEqual([null, null, null]);
    for (const name of Object.keys(RULES)) expect(findRule(name)).toBe(RULES[name]);
  });

  it('have a word for each severity', () => {
    const words = SEVERITIES.map(saySeverity);
    expect(new Set(words).size).toBe(SEVERITIES.length);
  });
});

describe('every analyzer', () => {
  it('finds nothing in a repository without files, twice alike', async () => {
    for (const one of ANALYZERS) {
      const [first, second] = [await analyze(one, {}), await analyze(one, {})];
      expect(second).toEqual(first);
    }
  });
});
