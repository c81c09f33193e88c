import { afterAll, beforeAll, expect, it } from 'vitest';
import { openPluginBench, type PluginBench } from '../../../support/plugin-bench.ts';

let bench: PluginBench;
beforeAll(async () => {
  bench = await openPluginBench(new URL('../', import.meta.url), 'shelf');
  await bench.addPerson('7', 'developer');
  await bench.addPerson('8', 'developer');
});
afterAll(() => bench.close());

it('the agent keeps a note and shows it to its owner alone', async () => {
  expect(await bench.ask('7', 'notes')).toEqual(['There are no notes yet.']);
  expect((await bench.ask('7', 'note buy milk')).join()).toContain('You have 1 note.');
  expect((await bench.ask('7', 'notes')).join()).toContain('- buy milk');
  expect(await bench.ask('8', 'notes')).toEqual(['There are no notes yet.']);
});

it('the agent keeps a note after it has shown the notes, without a question', async () => {
  await bench.ask('7', 'notes');
  expect((await bench.ask('7', 'note buy eggs')).join()).toContain('You have 2 notes.');
});

it('the agent says what it can do after a message that it does not understand', async () => {
  expect((await bench.ask('8', 'hello')).join()).toContain('Write “note …” and I keep it');
});
