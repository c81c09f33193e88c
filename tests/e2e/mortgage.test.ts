import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openOldThread, readState } from '../support/old-thread.ts';
import type { Person } from '../support/person.ts';
import { openStack, type Stack } from '../support/stack.ts';

describe('somebody who wants a mortgage, in Telegram', () => {
  let stack: Stack;
  let ben: Person;
  beforeAll(async () => {
    stack = await openStack();
    ben = await stack.person(1002, 'developer');
  });
  afterAll(() => stack.close());

  const visits = async (person: number): Promise<readonly unknown[]> =>
    (await stack.pool.query('select product_id from mortgage_branch_requests where user_key = $1', [String(person)]))
      .rows;

  it('finds a mortgage by buttons alone, except for two typed amounts', async () => {
    await ben.ask('/agent mortgage');
    expect((await ben.ask('hello')).join('\n')).toContain('What is the property worth?');
    await ben.ask('300,000');
    expect((await ben.ask('210k')).join('\n')).toContain('For how many years should the rate be fixed?');
    const shown = (await ben.clickAndWait('5 years')).join('\n');
    expect(shown).toContain('4.12%');
    expect(shown).toContain('£1,122.42');
    const chosen = (await ben.clickAndWait('Choose 4.12%')).join('\n');
    expect(chosen).toContain('£1,122.42 a month for 5 years');
    expect((await ben.clickAndWait('Over 30 years')).join('\n')).toContain('£1,017.15 a month for 5 years');
    expect((await ben.clickAndWait('Visit a branch')).join('\n')).toContain('A branch will call you');
    expect(await visits(1002)).toEqual([{ product_id: 'fix5-75' }]);
  });

  it('is offered contact with a person after three messages that the agent did not understand, and requests one visit', async () => {
    const person = await stack.person(2801, 'developer');
    await person.ask('/agent mortgage');
    for (const text of ['hm', 'the moon'])
      expect((await person.ask(text)).join('\n')).toContain('What is the property');
    expect((await person.ask('purple')).join('\n')).toContain('A person can help you better with this.');
    expect((await person.clickAndWait('Visit a branch')).join('\n')).toContain('A branch will call you');
    expect((await person.ask('I would like an appointment')).join('\n')).toContain('A branch will call you');
    expect(await visits(2801)).toHaveLength(1);
  });
});

describe('a conversation of an earlier release, in Telegram', () => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await openStack({ notReplayed: 'its conversation was begun by a release of before' });
  });
  afterAll(() => stack.close());

  it('continues with its state migrated', async () => {
    const person = await stack.person(2802, 'developer');
    await person.ask('/agent mortgage');
    const threadId = await openOldThread(stack.pool, { userKey: '2802', chatKey: 'telegram:2802' });
    expect((await person.ask('over 30 years please')).join('\n')).toContain('£1,017.16 a month for 5 years.');
    const { values } = await readState(stack.pool, threadId);
    expect(values).toMatchObject({ stateVersion: 2, domain: { mortgage: { branch_requested: true } } });
    const { rows } = await stack.pool.query(`select status from threads where user_key = '2802'`);
    expect(rows).toEqual([{ status: 'open' }]);
  });
});
