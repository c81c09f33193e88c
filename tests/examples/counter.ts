import { defineGuidedAgent } from '@signalbox/worker/guided/define';
import { createActionButton, type GuidedSpec } from '@signalbox/worker/guided/spec';
import { tool, toolGroup } from '@signalbox/worker/tools/tool';
import { z } from 'zod';

const Domain = z.object({ count: z.int(), unclear: z.int(), step: z.int().nullable().default(null) });

const actions = {
  add: {
    data: z.strictObject({ by: z.int().min(1).max(100).optional() }),
    describe: 'The person wants the number to grow.',
  },
  choose_step: { data: z.strictObject({ step: z.int().min(1).max(100) }), describe: 'The person says by how much.' },
  ask_limit: { data: z.strictObject({}), describe: 'The person asks how far it can count.' },
  look_up: { data: z.strictObject({}), describe: 'The person wants to know what the books say.' },
};

const stepButton = createActionButton('counter', 'By ten', 'choose_step', { step: 10 });

/** A guided agent with one of each thing that the kit can do. */
export const counterSpec: GuidedSpec<typeof Domain, typeof actions> = {
  id: 'counter',
  class: 'WRITE_GATED',
  summary: 'Counts what it is told to count.',
  stateVersion: 2,
  migrations: {
    1: [
      ({ count, ...rest }) => {
        if (typeof count !== 'number') throw new Error('a counter that counts nothing');
        return { ...rest, domain: { counter: { count, unclear: 0 } } };
      },
    ],
  },
  groups: ['books'],
  domain: Domain,
  initial: () => ({ count: 0, unclear: 0, step: null }),
  actions,
  nodes: {
    add: {
      does: 'Adds to the number.',
      then: ['praise'],
      run: async ({ domain, given }) => {
        const by = given('add')?.by ?? domain.step;
        if (by == null)
          return { open: 'keep', awaits: true, replies: [{ text: 'By how much?', buttons: [stepButton] }] };
        const count = domain.count + by;
        return { domain: { count }, ...(count >= 100 ? { goto: 'praise' } : { view: 'number' }) };
      },
    },
    choose_step: {
      does: 'Takes how much is added each time.',
      run: async ({ given, open }) => ({
        domain: { step: given('choose_step')?.step ?? null },
        ...(open.length === 0 && { view: 'number' }),
      }),
    },
    ask_limit: {
      does: 'Says how far it counts, and asks its own question again.',
      run: async () => ({ replies: [{ text: 'It counts without an end.', buttons: [] }], asksAgain: true }),
    },
    praise: { does: 'Praises a great number.', run: async () => ({ view: 'number', audit: [{ action: 'praised' }] }) },
    ask_books: {
      does: 'Asks the books, page after page.',
      run: async ({ call, domain }) => {
        const pages = [await call('read_books', { page: 1 }), await call('note_books', { count: domain.count })];
        return { replies: [{ text: pages.map(({ say }) => say).join(' '), buttons: [] }] };
      },
    },
    offer: {
      does: 'Offers what it can do.',
      run: async ({ domain }) => ({ domain: { unclear: domain.unclear + 1 }, view: 'number', awaits: true }),
    },
  },
  route: (heard) => {
    if (heard.kind !== 'action') return 'offer';
    if (heard.name === 'choose_step' || heard.name === 'ask_limit') return heard.name;
    return heard.name === 'look_up' ? 'ask_books' : 'add';
  },
  reads: (text) => {
    const by = /^plus (\d+)$/.exec(text)?.[1];
    return by === undefined ? null : { action: 'add', data: { by: Number(by) }, isWhole: true };
  },
  views: {
    number: ({ count, unclear }, { mode, device }) => ({
      text: `It is at ${count}, and ${unclear} unclear (${mode}, ${device}).`,
      buttons: [createActionButton('counter', 'One more', 'add', { by: 1 })],
    }),
  },
  home: 'number',
};

export default defineGuidedAgent(counterSpec);

/** The counter's own tools. */
export const books = toolGroup({
  name: 'books',
  summary: 'Read the books of the counter, and write a line into them.',
  owner: 'counter',
  uses: [],
  tools: {
    read_books: tool({
      describe: 'Read a page of the books.',
      hints: [],
      input: z.object({ page: z.int() }),
      risk: 'safe',
      role: 'viewer',
      egress: false,
      deadlineMs: 1_000,
      replay: 'harmless',
      run: async ({ page }) => ({ page }),
      phrases: { done: ({ page }) => `Page ${page} is empty.` },
    }).from('runtime'),
    note_books: tool({
      describe: 'Write the number into the books.',
      hints: [],
      input: z.object({ count: z.int() }),
      risk: 'sensitive',
      role: 'developer',
      egress: false,
      deadlineMs: 1_000,
      replay: 'harmless',
      run: async ({ count }) => ({ count }),
      phrases: { done: ({ count }) => `The books say ${count} now.` },
    }).from('runtime'),
  },
});
