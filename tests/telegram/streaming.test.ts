import { z } from 'zod';
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest';
import { createLog } from '@signalbox/platform/log';
import { subscribeToDrafts } from '@signalbox/platform/streams/drafts';
import {
  createPen,
  startModelServer,
  type AskedMessage,
  type ModelAnswer,
  type ModelServer,
  type Pen,
} from '../support/model-server.ts';
import type { Person } from '../support/person.ts';
import { openStack, type Stack } from '../support/stack.ts';
import { eventually, until } from '../support/until.ts';

const Page = z.object({ draft: z.object({ text: z.string(), canStop: z.boolean() }).nullable() });

let model: ModelServer;
let stack: Stack;
/** What the model writes, as it is written. */
let pen: Pen;
let answer: (messages: readonly AskedMessage[], tools: readonly string[]) => ModelAnswer;

beforeEach(async () => {
  pen = createPen();
  answer = () => ({ pieces: pen.pieces });
  model = await startModelServer((messages, tools) => answer(messages, tools));
  stack = await openStack({ env: environment() });
});
afterEach(async () => {
  pen.end();
  await stack.close();
  await model.close();
});

const environment = (): Record<string, string> => ({
  MODEL: 'openai',
  OPENAI_API_KEY: 'test',
  OPENAI_BASE_URL: model.url,
  TELEGRAM_DRAFT_INTERVAL_MS: '50',
});
const draftOf = async (person: Person): Promise<z.output<typeof Page>['draft']> => {
  const page = await fetch(`${stack.simulatorUrl}/api/chats/${person.id}/messages?as=${person.id}`);
  return Page.parse(await page.json()).draft;
};
const reads = (person: Person, text: string): Promise<unknown> =>
  eventually(
    () => draftOf(person),
    (draft) => draft?.text === text,
  );
const pressStop = (person: Person): Promise<Response> =>
  fetch(`${stack.simulatorUrl}/api/drafts/stop`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ from: person.id }),
  });
const turns = async (): Promise<readonly { outcome: string }[]> =>
  (await stack.pool.query<{ outcome: string }>('select outcome from turns order by started_at')).rows;
const hears = (person: Person, count: number): Promise<readonly string[]> =>
  eventually(
    async () => (await person.heard()).map((message) => message.text),
    (texts) => texts.length >= count,
  );

/** Counts how often a worker says that what it showed is whole. */
async function hearFinals(): Promise<() => number> {
  let count = 0;
  const listening = await subscribeToDrafts({
    redisUrl: stack.redisUrl,
    prefix: stack.prefix,
    log: createLog('test', 'silent'),
    onDraft: (draft) => (count += draft.final ? 1 : 0),
  });
  onTestFinished(() => listening.close());
  return () => count;
}

/** Since when the end of a turn waits to be stored. */
async function storing(): Promise<Date | undefined> {
  const { rows } = await stack.pool.query<{ since: Date }>(
    `select query_start as since from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like '%lane_finish%'`,
  );
  return rows[0]?.since;
}

it('a person sees the answer grow as a draft, and then gets it as one message', async () => {
  const ada = await stack.person(1001, 'admin');
  await ada.send('tell me a story');
  const steps = [
    ['Once there **was', 'Once there was'],
    [' a lighthouse**', 'Once there was a lighthouse'],
    [' by the sea', 'Once there was a lighthouse by the sea'],
    [', and it shone.', 'Once there was a lighthouse by the sea, and it shone.'],
  ] as const;
  for (const [piece, shown] of steps) {
    pen.write(piece);
    await reads(ada, shown);
  }
  expect(await ada.heard()).toEqual([]);
  pen.end();
  expect(await hears(ada, 1)).toEqual(['Once there was a lighthouse by the sea, and it shone.']);
  expect(await draftOf(ada)).toBeNull();
  expect(await turns()).toEqual([{ outcome: 'answered' }]);
});

it('a press on Stop ends the model request, and the text so far is kept as a message', async () => {
  const ada = await stack.person(1001, 'admin');
  await ada.send('tell me a story');
  pen.write('Once there was a light');
  await reads(ada, 'Once there was a light');
  expect((await pressStop(ada)).status).toBe(200);
  await eventually(
    async () => model.thinking(),
    (thinking) => thinking === 0,
  );
  expect(await hears(ada, 3)).toEqual([
    'Stopping…',
    'Unfinished:\n\nOnce there was a light',
    'Stopped. Nothing was changed.',
  ]);
  expect(await draftOf(ada)).toBeNull();
  expect(await turns()).toEqual([{ outcome: 'stopped' }]);
  const asked: string[] = [];
  answer = (messages) => {
    asked.push(...messages.map((message) => message.content));
    return { content: 'It ends well.' };
  };
  expect(await ada.ask('and then?')).toEqual(['It ends well.']);
  expect(asked.join('\n')).toContain('Once there was a light');
});

it('a message sent in the middle of a turn ends its draft, and later text starts a new draft', async () => {
  const ada = await stack.person(1001, 'admin');
  const finals = await hearFinals();
  const saying = createPen();
  answer = (messages) =>
    messages.at(-1)?.role === 'tool' ? { pieces: pen.pieces } : { pieces: saying.pieces, piecesOf: 'respond_to_user' };
  await ada.send('tell me a story');
  saying.write('{"awaiting_response": false, "choices": [], "message": "I am');
  await reads(ada, 'I am');
  saying.write(' looking."}');
  saying.end();
  expect(await hears(ada, 1)).toEqual(['I am looking.']);
  await until(() => finals() === 1);
  pen.write('Here it is');
  await reads(ada, 'Here it is');
  pen.write('.');
  pen.end();
  expect(await hears(ada, 2)).toEqual(['I am looking.', 'Here it is.']);
  expect(await draftOf(ada)).toBeNull();
});

it('a draft is ended before the answer is stored', async () => {
  const ada = await stack.person(1001, 'admin');
  const finals = await hearFinals();
  await ada.send('tell me a story');
  pen.write('All of it');
  await reads(ada, 'All of it');
  const holder = await stack.pool.connect();
  try {
    await holder.query('begin');
    await holder.query('select 1 from lanes for update');
    pen.end();
    const since = await until(storing);
    await until(() => finals() === 1);
    expect(await storing()).toEqual(since); // still the same try
  } finally {
    await holder.query('rollback');
    holder.release();
  }
  expect(await hears(ada, 1)).toEqual(['All of it']);
});

it('text before a tool call stays above the text after the call in one draft', async () => {
  const ada = await stack.person(1001, 'admin');
  const look = { name: 'request_capabilities', args: { capabilities: ['knowledge'] } };
  answer = (messages) =>
    messages.at(-1)?.role === 'tool' ? { pieces: pen.pieces } : { content: 'I look it up.', toolCalls: [look] };
  await ada.send('tell me a story');
  pen.write('Here it');
  await reads(ada, 'I look it up.\n\nHere it');
  await pressStop(ada);
  expect(await hears(ada, 3)).toEqual([
    'Stopping…',
    'Unfinished:\n\nI look it up.\n\nHere it',
    'Stopped. Nothing was changed.',
  ]);
});

it('a worker that stops hands its draft over to the next worker', async () => {
  await stack.close();
  stack = await openStack({ env: environment(), workers: 0 });
  const first = await stack.startWorker('worker-1');
  const ada = await stack.person(1001, 'admin');
  await ada.send('tell me a story');
  pen.write('Once there was');
  await reads(ada, 'Once there was');
  await stack.startWorker('worker-2');
  await first.close();
  pen.write(' a lighthouse');
  await reads(ada, 'Once there was a lighthouse');
  pen.end();
  expect(await hears(ada, 1)).toEqual(['Once there was a lighthouse']);
  expect(await draftOf(ada)).toBeNull();
  expect(await turns()).toEqual([{ outcome: 'answered' }]);
});

it('the text so far is kept as a message when the model fails in the middle', async () => {
  await stack.close();
  stack = await openStack({ env: { ...environment(), MODEL_TIMEOUT_MS: '1000', MODEL_DEADLINE_MS: '4000' } });
  const ada = await stack.person(1001, 'admin');
  await ada.send('tell me a story');
  pen.write('Once there was');
  await reads(ada, 'Once there was');
  const [unfinished, why] = await hears(ada, 2);
  expect(unfinished).toBe('Unfinished:\n\nOnce there was');
  expect(why).toMatch(/model/);
  expect(await turns()).toEqual([{ outcome: 'failed' }]);
});
