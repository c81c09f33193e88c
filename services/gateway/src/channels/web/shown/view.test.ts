import { expect, test } from 'vitest';
import { dependsOnDevice, toStep } from './view.ts';

const TABLE = ['| a | b | c | d |', '|---|---|---|---|', '| 1 | 2 | 3 | 4 |'].join('\n');
const stored = (type: string, text: string) => ({
  id: '7.0',
  seq: 9,
  place: 4,
  version: '7',
  at: '2026-01-01T00:00:00.000Z',
  patch: { type, props: { from: 'agent', text } },
});

test('a component of the page has the same id, position, version and time on every device', () => {
  for (const device of ['desktop', 'mobile'] as const)
    expect(toStep(stored('Message', TABLE), device)).toMatchObject({
      op: 'put',
      component: { id: '7.0', place: 4, version: '7', type: 'Message', props: { at: '2026-01-01T00:00:00.000Z' } },
    });
});

test('only messages with a wide table are shown differently on a phone', () => {
  const narrow = '| a | b | c |\n|---|---|---|\n| 1 | 2 | 3 |';
  const code = `\`\`\`\n${TABLE}\n\`\`\``;
  const long = [...TABLE.split('\n'), ...Array.from({ length: 60 }, () => '| 1 | 2 | 3 | 4 |')].join('\n');
  for (const text of [narrow, code, long, 'a | b | c | d', ''])
    expect(dependsOnDevice(stored('Message', text))).toBe(false);
  // An approval card is shown as it was hashed.
  expect(dependsOnDevice(stored('Approval', TABLE))).toBe(false);
});

test('a text with several tables is shown on a phone without losing words', () => {
  const step = toStep(stored('Message', `one\n\n${TABLE}\n\ntwo\n\n${TABLE}\n\nthree`), 'mobile');
  const component = step.op === 'put' ? step.component : null;
  expect(component?.props['text']).toBe('one');
  expect(component?.children.map(({ type, props }) => props['text'] || type)).toEqual([
    'DataCard',
    'two',
    'DataCard',
    'three',
  ]);
});

test('a component whose update is null is removed from the page', () => {
  expect(toStep({ ...stored('Message', ''), patch: null }, 'mobile')).toEqual({ op: 'remove', id: '7.0' });
});
