import { createIdentityCode } from '@signalbox/store/people/identities';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { deployGroup, openDeployTarget, type DeployTarget } from '../support/deploy-target.ts';
import { freePort } from '../support/free-port.ts';
import { openStack, type Stack } from '../support/stack.ts';
import { eventually, until } from '../support/until.ts';
import { cookieOf, postSession } from './requests.ts';
import { TestPage } from './page.ts';

let stack: Stack;
let target: DeployTarget;
let url: string;

beforeEach(async () => {
  target = await openDeployTarget();
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  stack = await openStack({
    wiring: { groups: [deployGroup(target)] },
    env: { GATEWAY_CHANNELS: 'telegram,web', GATEWAY_HTTP_PORT: String(port) },
  });
});
afterEach(async () => {
  await stack.close();
  await target.close();
});

const openPage = async (person: number, agent?: string): Promise<TestPage> => {
  const signedIn = await postSession(url, { code: await createIdentityCode(stack.pool, String(person)) });
  const page = new TestPage({ url, cookie: cookieOf(signedIn), ...(agent === undefined ? {} : { agent }) });
  return page.opened();
};

test('an approval card on a web page has all of its details, and can be decided there', async () => {
  const admin = await stack.person(1001, 'admin');
  const developer = await stack.person(1002, 'developer');
  await stack.person(1003, 'operator');
  await stack.person(1004, 'operator');
  await admin.ask('create a project called shop for the web shop');
  const pages = [await openPage(1003), await openPage(1004)] as const;
  const raw: string[] = [];
  for (const page of pages) {
    page.socket.on('message', (data) => raw.push((data as Buffer).toString()));
    page.say('/whoami');
    await until(() => page.find('You are P'));
  }
  await developer.ask('deploy shop 1.4.2 to production');
  for (const page of pages) {
    const card = await until(() => page.shown.find(({ type }) => type === 'Approval'), 30_000);
    const [approval] = (await stack.pool.query<{ hash: string }>(`select hash from approvals`)).rows;
    expect(card.props['hash']).toBe(approval?.hash);
    expect(card.props['text']).toContain('Deploy shop 1.4.2 to production');
    page.press('Approve');
    await eventually(
      async () => (await stack.pool.query('select 1 from approval_votes')).rows.length,
      (votes) => votes > pages.indexOf(page),
    );
  }
  await developer.waitFor(/Approved by .* Deployed shop 1\.4\.2 to production/);
  expect(target.effects).toHaveLength(1);
  // A settled card has no buttons, and is a message like any other.
  for (const page of pages) await until(() => page.find('Approved by')?.props['buttons']?.toString() === '');
  const events = await stack.pool.query<{ kind: string; event_id: string }>('select kind, event_id from audit_events');
  expect(events.rows.map(({ kind }) => kind)).toContain('approval.approved');
  for (const { kind } of events.rows) expect(raw.join('\n')).not.toContain(kind);
  for (const page of pages) page.socket.terminate();
});

test('a web page that asks for an unknown agent is closed with the names of the known agents', async () => {
  await stack.person(1001, 'admin');
  const page = await openPage(1001, 'product_owner');
  await until(() => page.frames.length > 0);
  const other = await openPage(1001, 'stranger');
  await until(() => other.closed !== null);
  const agents = await stack.pool.query<{ id: string }>('select id from agents');
  expect(other.closed?.code).toBe(4000);
  expect(other.closed?.reason.split(', ').toSorted()).toEqual(agents.rows.map(({ id }) => id).toSorted());
});

test('two sessions of one person on the web page are two conversations', async () => {
  await stack.person(1001, 'admin');
  const page = await openPage(1001);
  const cookie = cookieOf(await postSession(url, { code: await createIdentityCode(stack.pool, '1001') }));
  const side = await new TestPage({ url, cookie, session: 'side' }).opened();
  page.say('create a project called teapot for tea');
  side.say('which projects are there?');
  await until(() => page.texts().length > 1 && side.texts().length > 1, 30_000);
  const threads = await stack.pool.query<{ chat_key: string; user_key: string }>(
    'select chat_key, user_key from threads order by chat_key',
  );
  expect(threads.rows).toEqual([
    { chat_key: 'web:1001', user_key: 'web-1001' },
    { chat_key: 'web:1001/side', user_key: 'web-1001' },
  ]);
  for (const one of [page, side]) one.socket.terminate();
});
