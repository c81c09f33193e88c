import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openStack, type Stack } from '../support/stack.ts';
import type { Person } from '../support/person.ts';

const Messages = z.object({
  messages: z.array(z.object({ text: z.string(), file: z.object({ name: z.string(), url: z.string() }).nullable() })),
});

describe('files that people request', () => {
  let stack: Stack;
  let ada: Person;
  beforeAll(async () => {
    stack = await openStack();
    ada = await stack.person(1001, 'admin');
    await ada.ask('create a project called shop for the web shop');
    await ada.ask('allocate a port for shop');
  });
  afterAll(() => stack.close());

  const newestFile = async (): Promise<{ name: string; content: string }> => {
    const response = await fetch(`${stack.simulatorUrl}/api/chats/1001/messages?as=1001&after=0`);
    const { messages } = Messages.parse(await response.json());
    const file = messages.findLast((message) => message.file !== null)?.file;
    const content = await (await fetch(`${stack.simulatorUrl}${file?.url ?? ''}`)).text();
    return { name: file?.name ?? '', content };
  };

  it.each([
    ['export the allocations as csv', /^allocations-.*\.csv$/, /^local,20\d{3},shop,web,256,/m],
    ['can you give me the projects as a file?', /^projects-.*\.csv$/, /^shop,intended/m],
  ])('the message “%s” sends a CSV file with the requested rows', async (request, name, line) => {
    const [answer] = await ada.ask(request);
    expect(answer).toMatch(/^Here is .*\.csv with 1 /);
    const file = await newestFile();
    expect(file.name).toMatch(name);
    expect(file.content).toMatch(line);
  });

  it('a list is sent as text when nobody asks for a file', async () => {
    expect((await ada.ask('list the allocations')).join()).toMatch(/local:20\d{3}/);
    const { rows } = await stack.pool.query('select count(*)::int as files from artifacts');
    expect(rows).toEqual([{ files: 2 }]);
  });
});
