import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStack, type Stack } from '../support/stack.ts';
import type { Person } from '../support/person.ts';

describe('files that people send', () => {
  let stack: Stack;
  let ada: Person;
  beforeAll(async () => {
    stack = await openStack();
    ada = await stack.person(1001, 'admin');
  });
  afterAll(() => stack.close());

  const data = Buffer.from('hello').toString('base64');
  const sendFiles = async (body: object): Promise<void> => {
    const response = await fetch(`${stack.simulatorUrl}/api/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ from: 1001, ...body }),
    });
    expect(await response.json()).toMatchObject({ ok: true });
  };

  it('do not change how the words of a request are understood', async () => {
    await sendFiles({ text: 'create a project called shop for the web shop', files: [{ name: 'logo.png', data }] });
    // What comes with a file is not taken for the person's own word.
    await ada.waitFor(/Please confirm/);
    await ada.click('Confirm');
    expect(await ada.waitFor(/created the project/)).toContain('shop');
    const { rows } = await stack.pool.query('select name, description from projects');
    expect(rows).toEqual([{ name: 'shop', description: expect.not.stringContaining('attached') }]);
  });

  it('without a caption get one honest answer for each album, and create no conversation', async () => {
    const files = ['plan.pdf', 'costs.xlsx'].map((name) => ({ name, data }));
    await ada.ask('/new');
    await sendFiles({ files });
    expect(await ada.waitFor(/^I got/)).toBe(
      'I got plan.pdf and costs.xlsx, but I cannot look into files: I have your words only. Please write what you need.',
    );
    expect((await ada.ask('list the projects')).join()).toContain('shop');
    const said = (await ada.heard()).map((message) => message.text);
    expect(said.filter((text) => text.startsWith('I got'))).toHaveLength(1);
    const { rows } = await stack.pool.query(`select status, title from threads order by n desc limit 2`);
    expect(rows).toMatchObject([{ status: 'open' }, { status: 'closed', title: null }]);
  });

  it('that are voice messages are answered that voice notes are switched off', async () => {
    await sendFiles({ files: [{ kind: 'voice', name: 'v.ogg', data, durationSeconds: 2 }] });
    expect(await ada.waitFor(/voice/)).toBe(
      'I cannot listen to voice notes: they are not switched on here. Please write what you need.',
    );
  });

  it('leave a waiting question open', async () => {
    await ada.ask('create a project called blog');
    await sendFiles({ files: [{ name: 'draft.txt', data }] });
    await ada.waitFor(/^I got draft\.txt/);
    expect((await ada.ask('articles about tea')).join()).toMatch(/name: blog/);
    await ada.click('Confirm');
    expect(await ada.waitFor(/created the project.*blog/i)).toContain('blog');
  });
});
