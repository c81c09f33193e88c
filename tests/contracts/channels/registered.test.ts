import { readdirSync, readFileSync } from 'node:fs';
import { CHANNELS } from '@signalbox/gateway/channels/registry';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { findContradiction, type BenchHooks, type ChannelBench, type Feature, type FEATURES } from './bench.ts';

const TESTS = new URL('../../', import.meta.url);
/** Channels that are examples and no part of the product. */
const EXAMPLES = ['lines', 'postbox'];

/** A bench is named like its channel; what belongs to one has a longer name. */
const benches = readdirSync(new URL('benches/', import.meta.url)).flatMap(
  (file) => /^([a-z]+)\.ts$/.exec(file)?.[1] ?? [],
);
const testFiles = readdirSync(TESTS, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.test.ts'));

describe('the contract suite of channels', () => {
  it('has a test bench for every channel, and no other bench', () => {
    expect(benches.toSorted()).toEqual([...CHANNELS.map(({ name }) => name), ...EXAMPLES].toSorted());
  });

  it.each(benches)('is run for %s by exactly one test file', (name) => {
    const runs = testFiles.filter((path) => {
      const text = readFileSync(new URL(path, TESTS), 'utf8');
      return text.includes('describeChannel(') && new RegExp(`from '[^']*/${name}\\.ts'`).test(text);
    });
    expect(runs).toHaveLength(1);
  });
});

describe('a test bench of a channel', () => {
  const nothing = async (): Promise<void> => undefined;
  const bench = (hooks: object, methods: object = {}): ChannelBench =>
    ({ ...hooks, channel: methods }) as unknown as ChannelBench; // all that is looked at

  it('is accepted with hooks for the features of its channel, and a reason for each missing feature', () => {
    expect(findContradiction(bench({ edit: nothing }), {}, 'edits')).toBeNull();
    expect(findContradiction(bench({}), { edits: 'words that were sent stay as they are' }, 'edits')).toBeNull();
    expect(findContradiction(bench({}, { edit: nothing }), {}, 'changes')).toBeNull();
  });

  it.each([
    ['leaves a hook out without a reason', bench({}), {}, 'edits', /hook edit is missing/],
    [
      'has half of a feature',
      bench({ isAnswered: nothing }),
      {},
      'answers to presses',
      /method answerPress is missing/,
    ],
    ['calls lacking what it shows', bench({ edit: nothing }), { edits: 'words stay as they are' }, 'edits', /is there/],
    [
      'calls lacking what its channel does',
      bench({}, { fetchFile: nothing }),
      { 'files of people': 'there are none' },
      'files of people',
      /is there/,
    ],
    ['gives no reason', bench({}), { edits: ' ' }, 'edits', /no reason/],
  ] as const)('is rejected when it %s', (_, made, lacks, feature, said) => {
    expect(findContradiction(made, lacks, feature)).toMatch(said);
  });

  it('has only hooks that belong to a feature', () => {
    expectTypeOf<(typeof FEATURES)[Feature]['hooks'][number]>().toEqualTypeOf<keyof BenchHooks>();
  });
});
