import { say } from '@signalbox/messages/say';
import { CHANGE_DEFAULTS, LOOK_UP_DEFAULTS, tool, toolGroup } from '@signalbox/worker/tools/tool';
import { z } from 'zod';

export default toolGroup({
  name: 'shelf',
  summary: 'Keep notes of a person, and show them again.',
  owner: 'shelf',
  uses: ['shelf'],
  tools: {
    // Begins with the word that people type: after a look-up, an order runs at once only when it begins with the verb of its tool.
    note_shelf: tool({
      describe: 'Keep a note of this person.',
      hints: [
        'note: call the plumber',
        'note buy milk',
        'keep a note about the door',
        'remember this as a note',
        'write a note for me',
        'add a note: ask Ben',
      ],
      input: z.object({
        text: z.string().trim().min(1).max(500).describe('The note').meta({ ask: 'What should the note say?' }),
      }),
      ...CHANGE_DEFAULTS,
      deadlineMs: 5_000,
      run: async ({ text }, { ports, actor, actionId }) => ({
        count: await ports.shelf.add(actor.userKey, text, actionId),
      }),
      probe: async (_input, { ports, actor, wrote }) =>
        (await wrote())
          ? { kind: 'done', output: { count: (await ports.shelf.list(actor.userKey)).length } }
          : { kind: 'not-done' },
      phrases: { done: ({ count }) => say('shelf.added', { count }) },
    }).from('outside'),

    list_shelf_notes: tool({
      describe: 'Show the notes of this person, the newest first.',
      hints: [
        'notes',
        'show my notes',
        'list my notes',
        'what are my notes',
        'which notes do i have',
        'read me my notes',
      ],
      input: z.object({}),
      ...LOOK_UP_DEFAULTS,
      touchesPrivate: true,
      run: async (_input, { ports, actor }) => ({ notes: [...(await ports.shelf.list(actor.userKey))] }),
      phrases: {
        done: ({ notes }) =>
          [say('shelf.listed', { count: notes.length }), ...notes.map((note) => `- ${note}`)].join('\n'),
      },
    }).from('outside'),
  },
});
