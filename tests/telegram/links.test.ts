import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Person } from '../support/person.ts';
import { openStack, type Stack } from '../support/stack.ts';
import { eventually } from '../support/until.ts';

describe('a link whose text hides its address', () => {
  let stack: Stack;
  let ada: Person;
  beforeAll(async () => {
    stack = await openStack();
    ada = await stack.person(1001, 'admin');
    await ada.ask('/whoami'); // a bot writes only to whom wrote to it
  });
  afterAll(() => stack.close());

  let next = 9_000_000;
  /** Sends words whose part in brackets is a link, as a client that pasted them does, and answers what came of it. */
  async function sendLink(marked: string, url: string): Promise<string> {
    next += 1;
    const offset = marked.indexOf('[');
    const text = marked.replace(/[[\]]/g, '');
    const chat = { id: 1001, type: 'private', first_name: 'Ada' };
    const from = { id: 1001, is_bot: false, first_name: 'Ada' };
    const entities = [{ type: 'text_link', offset, length: marked.indexOf(']') - offset - 1, url }];
    const update = { message: { message_id: next, date: Math.floor(Date.now() / 1_000), chat, from, text, entities } };
    const before = (await ada.heard()).length;
    const answer = await fetch(`${stack.simulatorUrl}/api/updates`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ update }),
    });
    expect(answer.ok).toBe(true);
    const said = await eventually(
      async () => (await ada.heard()).slice(before),
      (all) => all.length > 0,
      30_000,
    );
    return said.map((one) => one.text).join('\n');
  }
  const toRepository = async (name: string): Promise<unknown> => {
    const { rows } = await stack.pool.query<{ repository: unknown }>('select p.* from projects p where p.name = $1', [
      name,
    ]);
    return JSON.stringify(rows[0] ?? null);
  };

  test('creates a project with the address of the link', async () => {
    await sendLink('create project linked with repository [this one]', 'https://git.example.org/team/shop.git');
    expect(await toRepository('linked')).toContain('https://git.example.org/team/shop.git');
    expect(await toRepository('linked')).not.toContain('this one');
  });

  test('is shown with its address in the question about a new repository', async () => {
    const said = await sendLink('set the repository of linked to our [new home]', 'https://git.example.org/new.git');
    expect(said).toContain('https://git.example.org/new.git');
  });

  test('that shows another address has no effect before its true address is confirmed', async () => {
    const shown = 'https://good.example/shop.git';
    const said = await sendLink(`create project bait with repository [${shown}]`, 'https://evil.example/shop.git');
    expect(said).toContain('https://evil.example/shop.git');
    expect(await toRepository('bait')).toBe('null');
  });
});
