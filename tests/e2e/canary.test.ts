import { readFileSync } from 'node:fs';
import { AIMessage, ToolMessage } from '@langchain/core/messages';
import { putDeadLetter } from '@signalbox/store/conversation/dead-letters';
import { createLog } from '@signalbox/platform/log';
import { createScriptedModels } from '../support/scripted-model.ts';
import { makeCanaries, type Canary } from '@signalbox/safety/redact/secrets.fixture';
import { createSimulatorClient, type SimulatorClient } from '@signalbox/telegram-simulator/simulator-client';
import { tool, toolGroup, withFiles } from '@signalbox/worker/tools/tool';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { findLeaks, readRedis, readTables, type Place } from '../support/leak-search.ts';
import { openStack, type Stack } from '../support/stack.ts';
import { eventually } from '../support/until.ts';

// Every input gets canaries of its own, so that a leak says where it came in.
const INPUTS = [
  'message',
  'caption',
  'edit',
  'group',
  'command',
  'new',
  'unreadable',
  'answer',
  'arguments',
  'result',
  'progress',
  'file',
  'letter',
] as const;
type Input = (typeof INPUTS)[number];
const canaries = new Map<Input, readonly Canary[]>(INPUTS.map((input, index) => [input, makeCanaries(index + 1)]));
const textOf = (input: Input): string => (canaries.get(input) ?? []).map(({ text }) => text).join('\n\n');
const [named, grouped, mistyped] = ['correct-horse-battery', 'staple-tr0ub4dor', 'mistyped-v4lue'];
const nameKey = makeCanaries(90)[0]?.secret ?? '';
const fileKey = makeCanaries(91)[5]?.secret ?? '';
const SECRETS = [
  ...[...canaries.values()].flat().map(({ secret }) => secret),
  named,
  grouped,
  mistyped,
  nameKey,
  fileKey,
];

const PERSONAL = { email: 'zacharias.canary@example.com', phone: '+49 170 5550199', name: 'Zacharias Canaryman' };

/** A tool that shows secrets in every way that a tool has. */
const leaky = toolGroup({
  name: 'leaky',
  summary: 'Show settings of a server.',
  uses: [],
  tools: {
    show_settings: tool({
      describe: 'Show the settings of a server.',
      hints: ['show the settings'],
      input: z.object({ note: z.string() }),
      risk: 'safe',
      role: 'viewer',
      egress: false,
      deadlineMs: 5_000,
      replay: 'harmless',
      run: async ({ note }, { say }) => {
        await say(textOf('progress'));
        const files = [{ name: 'settings.txt', mimeType: 'text/plain', content: textOf('file') }];
        return withFiles({ note, settings: textOf('result') }, files);
      },
      phrases: { done: ({ settings }) => `These are the settings: ${settings}` },
    }).from('outside'),
  },
});

const models = createScriptedModels((messages, tools) => {
  if (tools.some(({ name }) => name === 'classify_intent')) {
    const args = { task_summary: 'settings', capabilities: ['leaky'], project: null };
    return { toolCalls: [{ name: 'classify_intent', args }] };
  }
  const last = messages.at(-1);
  if (ToolMessage.isInstance(last) || messages.filter((one) => AIMessage.isInstance(one)).length > 8)
    return { content: `Here they are. ${textOf('answer')}` };
  return { toolCalls: [{ name: 'show_settings', args: { note: textOf('arguments') } }] };
});

describe('planted canary secrets', () => {
  const lines: string[] = [];
  let stack: Stack;
  let people: SimulatorClient;
  let places: readonly Place[];

  const quiet = (): Promise<unknown> =>
    eventually(
      async () =>
        (
          await stack.pool.query(
            `select 1 from inbox where outcome is null union all select 1 from outbox where status in ('pending', 'sending')
             union all select 1 from lanes where worker is not null`,
          )
        ).rowCount === 0 && (await people.get<number>('/api/pending')) === 0,
      Boolean,
      40_000,
    );

  beforeAll(async () => {
    const log = createLog('test', 'debug', { write: (line: string) => void lines.push(line) });
    stack = await openStack({ jobs: true, log, wiring: { groups: [leaky], models: () => Promise.resolve(models) } });
    people = createSimulatorClient(stack.simulatorUrl);
    const ada = await stack.person(1001, 'admin');
    await people.act('/api/people', { id: 2002, name: `Zed ${nameKey}` });
    await stack.person(2002, 'viewer');
    await people.act('/api/people', { id: 2003, name: PERSONAL.name });
    await stack.person(2003, 'developer');

    const { messageId } = await people.say(1001, 'hello there');
    await quiet();
    await people.say(1001, textOf('message'), { raw: true });
    await people.say(1001, textOf('caption').slice(0, 900), {
      raw: true,
      files: [{ name: `${fileKey}.txt`, data: 'aGVsbG8=' }],
    });
    await people.act('/api/edits', { from: 1001, messageId, text: textOf('edit').slice(0, 4_000) });
    await people.say(1001, `@signalbox_bot ${textOf('group')}`, { chat: 'ops', raw: true });
    await people.say(2002, 'hello');
    await people.say(2003, `write to ${PERSONAL.email} or call ${PERSONAL.phone}`);
    await people.say(1001, `/help ${textOf('command')}`, { raw: true });
    await people.say(1001, `/new ${textOf('new')}`, { raw: true });
    await people.say(1001, `/secret set db-password ${named}`);
    await people.say(1001, `/secret set db-password ${grouped}`, { chat: 'ops' });
    await people.say(1001, `/secrt set db-password ${mistyped}`);
    await people.post('/api/updates', { update: { message: { text: textOf('unreadable'), chat: 1 } } });
    const letter = {
      source: 'inbound',
      ref: 'canary',
      userKey: null,
      reason: textOf('letter'),
      body: { raw: textOf('letter') },
    } as const;
    await putDeadLetter(stack.pool, letter);
    await ada.waitFor(/keep it as .*secret:db-password/);
    await quiet();
    const calls = await people.get<readonly { readonly method: string }[]>('/api/calls');
    places = [
      ...(await readTables(stack.pool)),
      ...(await readRedis(stack.redisUrl, stack.prefix)),
      ...lines.map((text) => ({ where: 'log', text })),
      ...calls.map((call) => ({ where: `call of ${call.method}`, text: JSON.stringify(call) })),
    ];
  }, 120_000);
  afterAll(() => stack.close());

  it('reached every path, and each was recognized as a secret', async () => {
    const { rows } = await stack.pool.query<{ handle: string }>(`select handle from secrets where user_key = '1001'`);
    const kinds = new Set(rows.map(({ handle }) => handle.replace(/-[^-]*$/, '')));
    expect(kinds.size).toBeGreaterThanOrEqual(40);
    const { rows: ran } = await stack.pool.query(`select 1 from turns where tool_calls > 0`);
    expect(ran.length).toBeGreaterThan(0);
    const { rows: files } = await stack.pool.query<{ text: string }>(
      `select convert_from(bytes, 'utf8') as text from artifacts`,
    );
    expect(files[0]?.text).toContain('[secret]');
    expect(lines.length).toBeGreaterThan(50);
    expect(new Set(places.map(({ where }) => where.split(' ', 1)[0])).size).toBeGreaterThan(10);
  });

  it('are in no table, Redis key, log line or API call of the bot', () => {
    expect([...new Set(findLeaks(places, SECRETS))]).toEqual([]);
  });

  it.each([
    ['as it is', (secret: string) => secret],
    ['in JSON', (secret: string) => JSON.stringify({ a: secret })],
    ['in base 64', (secret: string) => Buffer.from(`the ${secret}`).toString('base64')],
    ['in hexadecimal', (secret: string) => Buffer.from(`bytes ${secret}`).toString('hex')],
    ['percent-encoded', (secret: string) => encodeURIComponent(`a=${secret}`)],
  ])('would be found in a table when they are stored %s', async (_, wrap) => {
    for (const secret of SECRETS) expect(findLeaks([{ where: 'here', text: wrap(secret) }], [secret])).toHaveLength(1);
    await stack.pool.query(`insert into settings (key, value) values ('leak', $1)`, [JSON.stringify(wrap(named))]);
    const found = findLeaks(await readTables(stack.pool), SECRETS);
    await stack.pool.query(`delete from settings where key = 'leak'`);
    expect(found).toEqual([`settings: ${named}`]);
  });

  it('in personal data are only in the tables that the documentation declares for personal data', () => {
    const page = readFileSync(new URL('../../docs/secrets.md', import.meta.url), 'utf8');
    const section = page.slice(page.indexOf('## Where personal data lies'));
    const declared = new Set([...section.matchAll(/^\| `(\w+)`/gm)].map(([, table]) => table ?? ''));
    const found = findLeaks(places, Object.values(PERSONAL)).map((leak) => leak.split(': ', 1)[0] ?? '');
    expect(found).toContain('users');
    expect(found).toContain('inbox');
    const undeclared = found.filter((where) => !declared.has(where) && !where.startsWith('call of'));
    expect([...new Set(undeclared)]).toEqual([]);
  });
});
