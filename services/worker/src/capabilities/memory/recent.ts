import { toPlainName } from '@signalbox/contracts/plain-name';
import { HOUR_MS } from '@signalbox/contracts/time';
import { sayDuration } from '@signalbox/messages/duration';
import { say } from '@signalbox/messages/say';
import { z } from 'zod';
import { LOOK_UP_DEFAULTS, tool } from '../../tools/tool.ts';

const DEFAULT_ENTRIES = 10;
const MAX_ENTRIES = 50;
const DEFAULT_DAYS = 30;

export const recentHistory = tool({
  describe:
    'Tell what this person themselves did lately, newest first: changes and deployments with what became of them, decisions about requests of others, and titles of earlier conversations.',
  hints: [
    'what was I doing',
    'what did I do yesterday',
    'what have I done lately',
    'show my recent history',
    'remind me what I was working on',
    'what were my last changes',
  ],
  input: z.object({
    since: z
      .string()
      .regex(/^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d)?Z?)?$/)
      .optional()
      .describe(`Date or time in UTC, such as 2026-11-25 or 2026-11-25T15:00; ${DEFAULT_DAYS} days ago by default`),
    limit: z.coerce.number().int().min(1).max(MAX_ENTRIES).default(DEFAULT_ENTRIES).describe('The most entries'),
  }),
  ...LOOK_UP_DEFAULTS,
  run: async ({ since, limit }, { ports, actor, threadId, now }) => {
    const from = since === undefined ? new Date(now().getTime() - DEFAULT_DAYS * 24 * HOUR_MS) : toDate(since);
    const found = await ports.requests.recent({ userKey: actor.userKey, threadId, since: from, limit: limit + 1 });
    return {
      since: from.toISOString(),
      entries: found.slice(0, limit).map(({ kind, at, action, title, threadId: conversation, ...rest }) => ({
        kind,
        at: at.toISOString(),
        ...(action === null ? { title: '', wording: title } : ports.requests.splitTitle(action)),
        ...rest,
        conversation,
        here: conversation === threadId,
      })),
      more: found.length > limit,
    };
  },
  phrases: {
    done: ({ entries, more }) => {
      if (entries.length === 0) return say('memory.recentNone');
      const lines = entries.map(({ kind, at, title, wording, state }) =>
        say('memory.recentEntry', {
          kind,
          ago: sayDuration(Math.max(0, Date.now() - Date.parse(at))),
          what: toPlainName(wording ?? title),
          state,
        }),
      );
      return [say('memory.recent'), ...lines, ...(more ? [say('memory.recentMore')] : [])].join('\n');
    },
  },
}).from({
  since: 'runtime',
  entries: {
    kind: 'runtime',
    at: 'runtime',
    title: 'runtime',
    wording: 'outside',
    state: 'runtime',
    project: 'name',
    environment: 'runtime',
    version: 'ref',
    conversation: 'runtime',
    here: 'runtime',
  },
  more: 'runtime',
});

function toDate(since: string): Date {
  const time = since.includes('T') ? since.replace(/Z?$/, 'Z') : `${since}T00:00:00Z`;
  return new Date(time);
}
