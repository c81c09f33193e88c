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

  it('are found by their whole name and by nothing that an object has besides', () => {
    expect(['constructor', '__proto__', 'toString'].map(findRule)).toEqual([null, null, null]);
    for (const name of Object.keys(RULES)) expect(findRule(name)).toBe(RULES[name]);
  });

  it('have a word for each severity', () => {
    const words = SEVERITIES.map(saySeverity);
    expect(new Set(words).size).toBe(SEVERITIES.length);
  });
});

describe('every analyzer', () => {
  it('finds nothing of its own in a repository without files, and says so twice alike', async () => {
    for (const one of ANALYZERS) {
      const [first, second] = [await analyze(one, {}), await analyze(one, {})];
      expect(second).toEqual(first);
    }
  });
});
