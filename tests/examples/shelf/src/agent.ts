import { say } from '@signalbox/messages/say';
import { defineGuidedAgent } from '@signalbox/worker/guided/define';
import { z } from 'zod';

/** Keeps what is written after the word “note”, and shows all of it again. */
export default defineGuidedAgent({
  id: 'shelf',
  class: 'WRITE_GATED',
  summary: 'Keeps notes and shows them again.',
  stateVersion: 1,
  migrations: {},
  groups: ['shelf'],
  domain: z.object({}),
  initial: () => ({}),
  actions: {
    add: { data: z.strictObject({ text: z.string() }), describe: 'The person wants to keep a note.' },
    list: { data: z.strictObject({}), describe: 'The person wants to see their notes.' },
  },
  nodes: {
    add: {
      does: 'Keeps a note.',
      run: async ({ call, given }) => reply(await call('note_shelf', { text: given('add')?.text ?? '' })),
    },
    list: { does: 'Shows the notes.', run: async ({ call }) => reply(await call('list_shelf_notes', {})) },
    tell_news: {
      does: 'Says what came of a call that a person confirmed.',
      run: ({ heard }) => Promise.resolve(heard.kind === 'news' ? reply(heard) : { view: 'home' }),
    },
    offer: { does: 'Says what it can do.', run: () => Promise.resolve({ view: 'home' }) },
  },
  route: (input) => {
    if (input.kind === 'news') return 'tell_news';
    return input.kind === 'action' ? input.name : 'offer';
  },
  reads: (words) => {
    const [, text] = /^note:?\s+(.+)$/is.exec(words.trim()) ?? [];
    if (text !== undefined) return { action: 'add', data: { text }, isWhole: true };
    return /^(?:my )?notes$/i.test(words.trim()) ? { action: 'list', data: {}, isWhole: true } : null;
  },
  views: { home: () => ({ text: say('shelf.home'), buttons: [] }) },
  home: 'home',
});

const reply = ({ say: text }: { readonly say: string }) => ({ replies: [{ text, buttons: [] }] });
