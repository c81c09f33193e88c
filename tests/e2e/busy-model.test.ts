import { createSimulatorClient } from '@signalbox/telegram-simulator/simulator-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startModelServer, type ModelServer } from '../support/model-server.ts';
import type { Person } from '../support/person.ts';
import { openStack, type Stack } from '../support/stack.ts';
import { until } from '../support/until.ts';

/** What a call takes: two of them are a wait of which people are told. */
const TAKES_MS = 2_500;

let model: ModelServer;
let stack: Stack;
let most = 0;

beforeAll(async () => {
  model = await startModelServer(() => {
    most = Math.max(most, model.thinking());
    return { content: 'Good day to you.', delayMs: TAKES_MS };
  });
  stack = await openStack({
    workers: 2,
    env: {
      MODEL: 'openai_compatible:test',
      OPENAI_COMPATIBLE_BASE_URL: model.url,
      MODEL_CONCURRENCY: '1',
    },
  });
});
afterAll(async () => {
  await stack.close();
  await model.close();
});

test('people who wait for a busy model see how many are before them, /stop ends the wait, and all others are answered', async () => {
  const chat = createSimulatorClient(stack.simulatorUrl);
  const people: Person[] = [];
  for (const id of [401, 402, 403, 404]) people.push(await stack.person(id, 'developer'));
  const [first, second, third, last] = people as [Person, Person, Person, Person]; // four were opened
  for (const person of [first, second, third]) await person.send('hello');
  const stopped = last.ask('hello');
  const seen = await until(async () => {
    const drafts = await Promise.all(people.map(({ id }) => chat.draft(id)));
    return drafts
      .map((draft) => draft?.text ?? '')
      .find((text) => /people are before you|person is before you/.test(text));
  });
  expect(seen).toMatch(/^The model is busy\. (?:1 person is|\d people are) before you\.$/);
  await last.send('/stop');
  await until(async () => (await last.heard()).some(({ text }) => text.startsWith('Stopped.')), 1_500);
  await stopped;
  for (const person of [first, second, third]) await person.waitFor(/Good day to you/);
  expect(most).toBe(1);
  for (const { id } of people) expect(await chat.draft(id)).toBeNull();
  const said = (await Promise.all(people.map((person) => person.heard()))).flat();
  expect(said.filter(({ text }) => text.includes('before you'))).toEqual([]);
});
