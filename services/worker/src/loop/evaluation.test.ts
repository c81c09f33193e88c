import { expect, it } from 'vitest';
import { evaluatePass, type PassSummary } from './evaluation.ts';

const pass = (facts: Partial<PassSummary>): PassSummary => ({
  passes: 1,
  maxPasses: 20,
  isWaiting: false,
  isFinished: false,
  failures: [],
  ...facts,
});

it.each<[string, Partial<PassSummary>, boolean, string]>([
  ['a pass like any other', {}, false, 'continue'],
  ['the last pass that is allowed', { passes: 20 }, false, 'limit'],
  ['a question to the person, even in the last pass', { isWaiting: true, passes: 20 }, true, 'waiting'],
  ['a task that the person confirmed', { isFinished: true, isWaiting: true }, true, 'done'],
  ['two failures of one call', { failures: ['a', 'a'] }, false, 'continue'],
  ['three failures of one call', { failures: ['a', 'b', 'a', 'a'] }, false, 'loop'],
  ['three failures of different calls', { failures: ['a', 'b', 'c'] }, false, 'continue'],
  ['a budget that is spent', { failures: ['a', 'a', 'a'] }, true, 'budget'],
])('the agent loop decides whether to go on after %s', (_, facts, spent, outcome) => {
  expect(evaluatePass(pass(facts), spent)).toBe(outcome);
});
