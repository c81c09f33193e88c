import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Person } from '../support/person.ts';
import { openStack, type Stack } from '../support/stack.ts';

let stack: Stack;
let ben: Person;
beforeAll(async () => {
  stack = await openStack();
  ben = await stack.person(1002, 'developer');
});
afterAll(() => stack.close());

it('a person finds a mortgage in Telegram by buttons alone, but for two amounts', async () => {
  await ben.ask('/agent mortgage');
  expect((await ben.ask('hello')).join('\n')).toContain('What is the property worth?');
  await ben.ask('300,000');
  expect((await ben.ask('210k')).join('\n')).toContain('For how many years should the rate be fixed?');
  const shown = (await ben.clickAndWait('5 years')).join('\n');
  expect(shown).toContain('4.12%');
  expect(shown).toContain('£1,122.42');
  const chosen = (await ben.clickAndWait('4.12%, fee £999.00: £1,122.42 a month')).join('\n');
  expect(chosen).toContain('£1,122.42 a month for 5 years');
  expect((await ben.clickAndWait('Over 30 years')).join('\n')).toContain('£1,017.15 a month for 5 years');
  expect((await ben.clickAndWait('Visit a branch')).join('\n')).toContain('A branch will call you');
});
