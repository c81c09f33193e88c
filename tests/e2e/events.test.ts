import { HumanMessage, ToolMessage, type BaseMessage } from '@langchain/core/messages';
import { openOutside } from '@signalbox/contracts/governance/outside';
import { convertMessages } from '@signalbox/models/runtime-events';
import { tool, toolGroup } from '@signalbox/worker/tools/tool';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { waitForCard } from '../support/pending-card.ts';
import type { Person } from '../support/person.ts';
import { createScriptedModels, type ScriptedAnswer } from '../support/scripted-model.ts';
import { openStack, type Stack } from '../support/stack.ts';
import { eventually } from '../support/until.ts';

// A model that tells of every event, so that a test sees whether it was asked about one.

const OPENED = { describe: '', hints: ['do something for this test'], egress: false, replay: 'harmless' } as const;
const NO_LOGS = {
  project: 'nowhere',
  environment: 'staging',
  of: 'serving',
  tail: 1,
  sinceMinutes: null,
  untilMinutes: null,
  match: null,
  followSeconds: 0,
} as const;
const paint = tool({
  ...OPENED,
  describe: 'Paint something in a color; somebody has to approve it.',
  input: z.object({ color: z.string().max(40) }),
  risk: 'dangerous',
  role: 'developer',
  deadlineMs: 5_000,
  run: ({ color }) =>
    color === 'ultraviolet' ? Promise.reject(new Error('no such paint')) : Promise.resolve({ color }),
  phrases: { done: ({ color }) => `Painted it ${color}.` },
}).from('outside');
const index = tool({
  ...OPENED,
  describe: 'Index the documentation.',
  input: z.object({ broken: z.boolean().default(false) }),
  risk: 'sensitive',
  role: 'developer',
  deadlineMs: 5_000,
  run: async ({ broken }, context) => {
    const run = broken ? await context.enqueue('service.logs', NO_LOGS) : await context.enqueue('knowledge.index', {});
    return { run: run.runId };
  },
  phrases: { done: () => 'Indexing.' },
}).from({ run: 'runtime' });
const group = toolGroup({ name: 'test', summary: 'Things to test.', uses: [], tools: { paint, index } });

const ORDERS: readonly [RegExp, readonly ScriptedAnswer[]][] = [
  [
    /^paint (\w+) and index/,
    [
      {
        toolCalls: [
          { name: 'paint', args: { color: '$1' } },
          { name: 'index', args: {} },
        ],
      },
    ],
  ],
  [/^paint (\w+)/, [{ toolCalls: [{ name: 'paint', args: { color: '$1' } }] }]],
  [/^index/, [{ toolCalls: [{ name: 'index', args: {} }] }]],
  [/^break/, [{ toolCalls: [{ name: 'index', args: { broken: true } }] }]],
];
const GOES_ON = { name: 'respond_to_user', args: { message: 'I go on when that is done.', goes_on: true } };

let events: string[] = [];
let seen: readonly BaseMessage[] = [];
let isSilent = false;
/** What the model says and looks up before it is silent; null when it says nothing. */
let remark: string | null = null;
let stack: Stack;
let developer: Person;
let operator: Person;

function answer(messages: readonly BaseMessage[]): ScriptedAnswer {
  seen = messages;
  const last = messages.at(-1);
  const words = last?.text ?? '';
  if (HumanMessage.isInstance(last) && last.additional_kwargs['event']) {
    events.push(words);
    if (remark !== null) return { content: remark, toolCalls: [{ name: 'index', args: {} }] };
    return { content: isSilent ? '' : 'I have read the news.' };
  }
  if (HumanMessage.isInstance(last))
    for (const [pattern, [given]] of ORDERS) {
      const [, color = ''] = pattern.exec(words) ?? [];
      if (given && pattern.test(words)) return JSON.parse(JSON.stringify(given).replace('$1', color)) as ScriptedAnswer;
    }
  if (remark !== null && last && ToolMessage.isInstance(last) && messages.at(-2)?.text === remark)
    return { content: '' };
  const asked = messages.findLast(HumanMessage.isInstance)?.text ?? '';
  return asked.includes('then') ? { toolCalls: [GOES_ON] } : { content: 'Noted.' };
}

beforeAll(async () => {
  const models = createScriptedModels((messages, tools) =>
    tools.some(({ name }) => name === 'classify_intent')
      ? {
          toolCalls: [
            { name: 'classify_intent', args: { task_summary: 'act', capabilities: ['test'], project: null } },
          ],
        }
      : answer(messages),
  );
  stack = await openStack({ jobs: true, wiring: { groups: [group], models: () => Promise.resolve(models) } });
  operator = await stack.person(1003, 'operator');
  developer = await stack.person(1002, 'developer');
  await operator.ask('hello');
}, 60_000);
afterAll(() => stack.close());

/** What the developer was told since `text`, once it matches. */
async function hears(pattern: RegExp): Promise<string> {
  return developer.waitFor(pattern);
}

async function decide(button: string, reason?: string): Promise<void> {
  await waitForCard(stack.pool, operator, button);
  await operator.click(button);
  if (reason === undefined) return;
  await operator.waitFor(/why do you reject/);
  await operator.click(reason);
}

/** The events as the model's next request shows them. */
const nextEvents = (): readonly Record<string, unknown>[] =>
  convertMessages(seen).flatMap((message) =>
    message.name === 'next_event' ? [JSON.parse(message.text) as Record<string, unknown>] : [],
  );

it('of an approved act the runtime tells the person, and the model learns it with their next message', async () => {
  events = [];
  await developer.ask('paint red');
  await decide('Approve');
  await hears(/approved[\s\S]*Painted it red\./i);
  expect(events).toEqual([]);
  await developer.ask('hello');
  expect(nextEvents().at(-1)).toMatchObject({ event: 'decision', call: 'paint', outcome: 'approved', by: ['Cleo'] });
  expect(JSON.stringify(nextEvents().at(-1))).toContain('Painted it red.');
  expect(events).toEqual([]);
});

it('of a rejection the runtime tells the person with its reason, and the model learns who it was and why', async () => {
  events = [];
  await developer.ask('paint blue');
  await decide('Reject', 'Too risky');
  await hears(/Cleo.* rejected .*Too risky/);
  expect(events).toEqual([]);
  await developer.ask('hello');
  expect(nextEvents().at(-1)).toMatchObject({
    event: 'decision',
    call: 'paint',
    outcome: 'rejected',
    by: ['Cleo'],
    reason: { outside: 'decision', text: 'Too risky' },
  });
});

it('an expired request is told by the runtime alone', async () => {
  events = [];
  await developer.ask('paint gray');
  await stack.pool.query(`update approvals set expires_at = now() where status = 'pending'`);
  await hears(/Nobody decided about .*gray.*in time/);
  expect(events).toEqual([]);
});

it('an approved act that fails is given to the model', async () => {
  events = [];
  await developer.ask('paint ultraviolet');
  await decide('Approve');
  await eventually(
    () => Promise.resolve(events.length),
    (count) => count === 1,
  );
});

it('the end of a job is told by the runtime, and its failure is given to the model', async () => {
  events = [];
  await developer.ask('index');
  await hears(/indexed|passages/i);
  expect(events).toEqual([]);
  await developer.ask('break');
  await eventually(
    () => Promise.resolve(events.length),
    (count) => count === 1,
  );
});

it('a model that said that its task goes on is asked, and so is one whose later call was held', async () => {
  events = [];
  await developer.ask('paint white, then index');
  await decide('Approve');
  await hears(/I go on when that is done\./);
  await eventually(
    () => Promise.resolve(events.length),
    (count) => count === 1,
  );
  await developer.ask('paint black and index');
  await decide('Approve');
  await eventually(
    () => Promise.resolve(events.length),
    (count) => count === 2,
  );
});

it('an empty answer to an event is silence, and the runtime tells the person what came', async () => {
  events = [];
  isSilent = true;
  await developer.ask('paint pink, then index');
  await decide('Approve');
  await hears(/Painted it pink\./);
  expect(events).toHaveLength(1);
  const { rows } = await stack.pool.query<{ passes: number }>(
    `select passes from turns order by started_at desc limit 1`,
  );
  expect(rows).toEqual([{ passes: 1 }]);
});

it('an event that the conversation notes as told was told, also when the model said something before it was silent', async () => {
  events = [];
  remark = 'I look at it.';
  await developer.ask('paint violet, then index');
  await decide('Approve');
  await hears(/Painted it violet\./);
  await hears(/I look at it\./);
  remark = null;
  await developer.ask('hello');
  const told = nextEvents().filter((event) => event['told'] !== undefined);
  const heard = (await developer.heard()).map(({ text }) => text).join('\n');
  for (const { say } of told) expect(heard).toContain(String(openOutside(say)).replaceAll('*', ''));
  expect(JSON.stringify(told)).toContain('Painted it violet.');
});
