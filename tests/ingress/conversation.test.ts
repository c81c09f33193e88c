import { readLinks } from '@signalbox/gateway/channels/links';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deployGroup, openDeployTarget, type DeployTarget } from '../support/deploy-target.ts';
import { freePort } from '../support/free-port.ts';
import type { Person } from '../support/person.ts';
import { openStack, type Stack } from '../support/stack.ts';
import { eventually, until } from '../support/until.ts';
import { OTHER_SECRET, read, SECRET, tell, type Answer, type Program } from './program.ts';
import { openReceiver, type Receiver } from './receiver.ts';
import { writeSources } from './sources-file.ts';

// The whole product: a program that reads its answers, one that gets them, and people in Telegram who decide.
let stack: Stack;
let target: DeployTarget;
let receiver: Receiver;
let ci: Program;
let script: Program;
let admin: Person;
let ops: Person;

beforeAll(async () => {
  target = await openDeployTarget();
  receiver = await openReceiver(SECRET);
  const port = await freePort();
  const file = writeSources([
    {
      name: 'ci',
      secret: SECRET,
      serviceAccount: { name: 'CI', role: 'developer' },
      callback: receiver.url,
    },
    { name: 'script', secret: OTHER_SECRET, serviceAccount: { name: 'Script', role: 'developer' } },
  ]);
  stack = await openStack({
    jobs: true,
    wiring: { groups: [deployGroup(target)] },
    env: {
      GATEWAY_CHANNELS: 'telegram,ingress',
      GATEWAY_HTTP_PORT: String(port),
      INGRESS_SOURCES_FILE: file,
    },
  });
  const url = `http://127.0.0.1:${port}`;
  ci = { url, source: 'ci', secret: SECRET };
  script = { url, source: 'script', secret: OTHER_SECRET };
  admin = await stack.person(1001, 'admin');
  ops = await stack.person(1003, 'operator');
  await ops.ask('/whoami');
  await admin.ask('create a project called shop for the web shop');
  await admin.ask('create a project called blog for company news');
});
afterAll(async () => {
  await stack.close();
  await target.close();
  await receiver.close();
});

const settled = (program: Program, id: string): Promise<Answer> =>
  eventually(
    () => read(program, id),
    ({ status, more }) => status !== 'waiting' && !more,
    45_000,
  );
const pushedOf = (event: string): readonly string[] =>
  receiver.taken().flatMap((one) => (one.event === event ? [one.message.text] : []));

describe('a program that sends events', () => {
  test('asks a question, and reads the answer by the id of the event', async () => {
    const id = await tell(script, { text: 'list the projects' });
    const { status, messages } = await settled(script, id);
    expect(status).toBe('answered');
    expect(messages.map(({ text }) => text).join('\n')).toMatch(/shop[\s\S]*blog|blog[\s\S]*shop/);
    expect(messages.every(({ final }) => final)).toBe(true);
  });

  test('asks a question, and gets the answer at its callback too', async () => {
    const id = await tell(ci, { text: 'list the projects' });
    const { messages } = await settled(ci, id);
    await eventually(
      async () => pushedOf(id).length,
      (count) => count === messages.length,
    );
    expect(pushedOf(id)).toEqual(messages.map(({ text }) => text));
    expect(receiver.received.every(({ isGenuine }) => isGenuine)).toBe(true);
  });

  test('answers a question of the agent with a button, and its request waits for a person', async () => {
    const conversation = 'ports';
    const question = await settled(script, await tell(script, { text: 'allocate a port', conversation }));
    const offered = question.messages.flatMap(({ id, buttons }) =>
      buttons.map((button) => ({ message: id, ...button })),
    );
    expect(offered.map(({ label }) => label)).toEqual(expect.arrayContaining(['shop', 'blog']));
    const blog = offered.find(({ label }) => label === 'blog');
    const press = { message: blog?.message, index: blog?.index };
    const id = await tell(script, { press });
    await ops.waitFor(/port[\s\S]*blog/i);
    await ops.click('Approve');
    const { messages } = await settled(script, id);
    expect(messages.at(-1)?.text).toMatch(/Port \*\*\d+\*\* on \*\*local\*\* now belongs to blog/);
  });

  test('cannot make untrusted text trusted by pressing a button', async () => {
    const conversation = 'afresh';
    const question = await settled(script, await tell(script, { text: 'allocate a port', conversation }));
    const [offered] = question.messages.flatMap(({ id, buttons }) =>
      buttons.map(({ index }) => ({ message: id, index })),
    );
    await settled(script, await tell(script, { text: '/new', conversation }));
    const id = await tell(script, { press: offered });
    const { rows } = await eventually(
      () =>
        stack.pool.query<{ source: string | null }>(
          `select x.source from inbox i join turns t on t.turn_id = i.turn_id left join thread_taints x on x.thread_id = t.thread_id
          where i.update_id = $1`,
          [id],
        ),
      (found) => found.rows.length === 1,
    );
    expect(rows).toEqual([{ source: 'messages' }]);
  });

  test.each(['/agent repo_analyst', '/agent_repo_analyst', '/agents'])(
    'cannot change the agent: %s is refused',
    async (text) => {
      const { messages } = await settled(script, await tell(script, { text, conversation: 'another-agent' }));
      expect(messages.map((message) => message.text).join('\n')).toContain('is a command for people');
      const { rows } = await stack.pool.query(`select * from chat_agents where chat_key like 'ingress:%'`);
      expect(rows).toEqual([]);
    },
  );

  test('is notified of the end of a job under the event that started the job', async () => {
    const id = await tell(ci, { text: 'index the docs' });
    await ops.waitFor(/Index the docs/);
    await ops.click('Approve');
    const { messages } = await settled(ci, id);
    expect(messages.at(-1)?.text).toMatch(/passages/);
    await eventually(
      async () => pushedOf(id),
      (texts) => /passages/.test(texts.at(-1) ?? ''),
    );
  });

  test('causes no change by itself: an operator decides about the request in a channel for decisions', async () => {
    await until(async () => (await readLinks(stack.pool)).length > 0);
    const id = await tell(ci, { text: 'deploy shop 1.4.2 to staging' });
    await ops.waitFor(/Deploy shop 1\.4\.2 to staging/);
    const waiting = await read(ci, id);
    expect(waiting.more).toBe(true);
    expect(waiting.messages.flatMap(({ buttons }) => buttons)).toEqual([]);
    // Whoever reads the request finds the bot in which people decide, and so does whoever gets it.
    const where = /You cannot decide here\. Decide here instead: \[telegram\]\(https:\/\/t\.me\/\w+\)/;
    const request = waiting.messages.map(({ text }) => text).filter((text) => where.test(text));
    expect(request).toEqual([expect.stringMatching(/Deploy shop 1\.4\.2 to staging/)]);
    await eventually(
      async () => pushedOf(id),
      (texts) => texts.includes(request[0] ?? ''),
    );
    expect(target.effects).toEqual([]);
    await ops.click('Approve');
    const { messages } = await settled(ci, id);
    expect(target.effects).toEqual([{ key: expect.any(String) as string, what: 'shop 1.4.2 staging' }]);
    expect(messages.map(({ text }) => text).join('\n')).toMatch(/Deployed shop 1\.4\.2 to staging/);
    await eventually(
      async () => pushedOf(id).join('\n'),
      (text) => text.includes('Deployed shop 1.4.2'),
    );
  });

  test('cannot read requests of other programs, nor messages for people', async () => {
    const id = await tell(script, { text: 'list the projects', conversation: 'private' });
    await settled(script, id);
    await expect(read(ci, id)).rejects.toThrow('404');
    const { rows } = await stack.pool.query<{ n: number }>(
      `select count(*)::int as n from outbox where chat_key not like 'telegram:%' and chat_key not like 'ingress:%'`,
    );
    expect(rows).toEqual([{ n: 0 }]);
    expect(receiver.taken().some(({ event }) => event === id)).toBe(false);
  });
});
