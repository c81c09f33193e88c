import type { Draft } from '@signalbox/platform/streams/drafts';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createTurnDraft, type TurnDraft } from './draft.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

function open(takesMs = 0): { draft: TurnDraft; published: Draft[]; at: number[]; abort: AbortController } {
  const published: Draft[] = [];
  const at: number[] = [];
  const abort = new AbortController();
  const startedAt = performance.now();
  const publish = async (one: Draft): Promise<void> => {
    published.push(one);
    at.push(performance.now() - startedAt);
    if (takesMs > 0) await new Promise((resolve) => setTimeout(resolve, takesMs));
  };
  const head = { chatKey: 'telegram:7', userKey: '7', turnId: 'turn_1' };
  return { draft: createTurnDraft({ head, publish, signal: abort.signal }), published, at, abort };
}

const texts = (published: readonly Draft[]): readonly string[] => published.map((one) => one.text);

test('many quick changes of a text are published as few drafts, including the newest', async () => {
  const { draft, published, at } = open();
  for (let n = 1; n <= 100; n += 1) {
    draft.show('word '.repeat(n));
    await vi.advanceTimersByTimeAsync(10);
  }
  await vi.advanceTimersByTimeAsync(1_000);
  expect(published.length).toBe(5);
  expect(at.map((ms) => Math.round(ms / 300))).toEqual([0, 1, 2, 3, 4]);
  expect(published.at(-1)?.text).toBe('word '.repeat(100));
  expect(published.map((one) => one.seq)).toEqual([1, 2, 3, 4, 5]);
  expect(published.every((one) => !one.final)).toBe(true);
});

test('first words that may be a secret delay the words after them by no interval', async () => {
  const { draft, published, at } = open();
  draft.show('a1b2c3d4');
  await vi.advanceTimersByTimeAsync(20);
  draft.show('a1b2c3d4e5 ');
  await vi.advanceTimersByTimeAsync(20);
  expect(texts(published)).toEqual(['a1b2c3d4e5 ']);
  expect(at[0]).toBeLessThan(40);
});

test('a line of the runtime is shown until the model writes, and never becomes part of a message', async () => {
  const { draft, published } = open();
  draft.tell('_12 people are before you._');
  await vi.advanceTimersByTimeAsync(10);
  expect(draft.unsent()).toBe('');
  draft.tell('_11 people are before you._');
  await vi.advanceTimersByTimeAsync(400);
  draft.show('Good day');
  await vi.advanceTimersByTimeAsync(400);
  draft.tell('_3 people are before you._');
  await vi.advanceTimersByTimeAsync(400);
  expect(texts(published)).toEqual([
    '_12 people are before you._',
    '_11 people are before you._',
    'Good day',
    'Good day\n\n_3 people are before you._',
  ]);
  expect(draft.unsent()).toBe('Good day');
});

test('drafts are published one at a time when Redis is slow', async () => {
  const { draft, published } = open(2_000);
  for (let n = 1; n <= 40; n += 1) {
    draft.show(`text ${n}`);
    await vi.advanceTimersByTimeAsync(100);
  }
  expect(published.length).toBe(2);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(texts(published).at(-1)).toBe('text 40');
});

test('no draft is published after the turn has ended, and the last draft is removed once', async () => {
  const { draft, published } = open();
  draft.show('one');
  await vi.advanceTimersByTimeAsync(10);
  draft.show('two');
  draft.end();
  draft.end();
  draft.show('three');
  await vi.advanceTimersByTimeAsync(60_000);
  expect(texts(published)).toEqual(['one', '']);
  expect(published.at(-1)).toMatchObject({ final: true, seq: 2, turnId: 'turn_1' });
});

test('the possible start of a secret is hidden in a draft, even when a line is added below it', async () => {
  const published: Draft[] = [];
  const draft = createTurnDraft({
    head: { chatKey: 'telegram:7', userKey: '7', turnId: 'turn_1' },
    publish: async (one) => void published.push(one),
    preview: async (text) => `${text}\n\n_Nothing was changed._`,
    signal: new AbortController().signal,
  });
  draft.show('The card is 4539 1488 03');
  await vi.advanceTimersByTimeAsync(10);
  expect(texts(published)).toEqual(['The card is \n\n_Nothing was changed._']);
  expect(draft.unsent()).toBe('The card is ');
  draft.end();
});

test('no removal is published for a turn that never showed a draft', async () => {
  const { draft, published } = open();
  draft.show('  \n');
  draft.settle();
  draft.end();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(published).toEqual([]);
});

test('aborting a turn removes its draft and keeps the text that was not sent', async () => {
  const { draft, published, abort } = open();
  draft.show('half an ans');
  await vi.advanceTimersByTimeAsync(10);
  draft.show('half an answer');
  abort.abort();
  draft.show('more');
  await vi.advanceTimersByTimeAsync(60_000);
  expect(texts(published)).toEqual(['half an ans', '']);
  expect(draft.unsent()).toBe('half an answer');
});

test('a draft is removed once its text is sent as a message, and the next draft can begin', async () => {
  const { draft, published } = open();
  draft.show('said');
  await vi.advanceTimersByTimeAsync(10);
  draft.settle();
  expect(draft.unsent()).toBe('');
  draft.show('next');
  await vi.advanceTimersByTimeAsync(1_000);
  expect(published.map((one) => [one.text, one.final])).toEqual([
    ['said', false],
    ['', true],
    ['next', false],
  ]);
});

test('a draft stays visible during a long tool call', async () => {
  const { draft, published, at } = open();
  draft.show('I look it up.');
  await vi.advanceTimersByTimeAsync(50_000);
  expect(texts(published)).toEqual(['I look it up.', 'I look it up.', 'I look it up.']);
  expect(at.map((ms) => Math.round(ms / 1_000))).toEqual([0, 20, 40]);
  draft.end();
});
