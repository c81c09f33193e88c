import { expect, test } from 'vitest';
import { TemporaryDisplay } from './temporary-display.ts';

const ids = (steps: ReturnType<TemporaryDisplay['take']>['steps']): readonly string[] =>
  steps.map((step) => `${step.op} ${step.op === 'put' ? step.component.id : 'id' in step && step.id}`);

test('a slow page receives only the newest draft', () => {
  const passing = new TemporaryDisplay();
  for (const text of ['I', 'I am', 'I am here']) passing.draft(text, 0);
  const { steps, frames } = passing.take(1);
  expect(ids(steps)).toEqual(['put draft']);
  expect(frames).toEqual([{ type: 'server.transcript.partial', payload: { speaker: 'agent', text: 'I am here' } }]);
  expect(passing.take(2)).toEqual({ steps: [], frames: [] });
});

test('a draft, a notice and the thinking state expire, and each is removed from the page once', () => {
  const passing = new TemporaryDisplay();
  passing.think(0);
  passing.draft('I am', 0);
  passing.notice('Approved', 0);
  passing.take(1);
  expect(passing.isOver(5_000)).toBe(false);
  expect(passing.isOver(7_000)).toBe(true);
  expect(ids(passing.take(7_000).steps)).toEqual(['remove notice']);
  expect(passing.take(9_000).frames).toEqual([{ type: 'server.agent.thinking', payload: { active: false } }]);
  expect(ids(passing.take(31_000).steps)).toEqual(['remove draft']);
  expect([passing.isOver(99_000), passing.take(99_000)]).toEqual([false, { steps: [], frames: [] }]);
});

test('a notice on the page is removed two seconds after the answer', () => {
  const passing = new TemporaryDisplay();
  passing.notice('Confirmed. It runs now.', 0);
  passing.take(1);
  passing.answered(1_000);
  expect([passing.isOver(2_900), passing.isOver(3_100)]).toEqual([false, true]);
  expect(ids(passing.take(3_100).steps)).toEqual(['remove notice']);
});

test('an answer removes the draft and the thinking state, even if the page has shown neither', () => {
  const passing = new TemporaryDisplay();
  passing.think(0);
  passing.draft('I am', 0);
  expect(passing.answered()).toBe(false);
  expect(passing.take(1)).toEqual({ steps: [], frames: [] });
  passing.draft('More', 2);
  passing.take(3);
  expect(passing.answered()).toBe(true);
  expect(ids(passing.take(4).steps)).toEqual(['remove draft']);
});
