import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStack, type Stack } from '../support/stack.ts';
import type { Person } from '../support/person.ts';
import { eventually } from '../support/until.ts';

describe('in a group', () => {
  let stack: Stack;
  let ada: Person;
  let ben: Person;
  beforeAll(async () => {
    stack = await openStack();
    ada = await stack.person(1001, 'viewer');
    ben = await stack.person(1002, 'developer');
    await fetch(`${stack.simulatorUrl}/api/rights`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ by: 1001, status: 'administrator' }),
    });
  });
  afterAll(() => stack.close());

  const heardInGroup = async (person: Person, pattern: RegExp): Promise<readonly string[]> => {
    const texts = async (): Promise<string[]> => (await person.heard('ops')).map((message) => message.text);
    return eventually(texts, (all) => all.some((text) => pattern.test(text)));
  };

  it('only the requester sees the refusal when their role is too low', async () => {
    await ada.send('@signalbox_bot create a project called shop for the web shop', { chat: 'ops' });
    await heardInGroup(ada, /Your role \(viewer\) does not allow that/);
    await ben.send('@signalbox_bot create a project called shop for the web shop', { chat: 'ops' });
    await heardInGroup(ben, /created the project/);
    expect((await ben.heard('ops')).map((message) => message.text)).toEqual([
      expect.stringMatching(/created the project/),
    ]);
    expect((await heardInGroup(ada, /created the project/)).length).toBe(2);
  });

  it('everybody sees the result of a completed action', async () => {
    await ben.send('@signalbox_bot allocate a port for shop', { chat: 'ops' });
    expect((await heardInGroup(ada, /now belongs to shop/)).at(-1)).toMatch(/Port 20\d{3}/);
  });
});
