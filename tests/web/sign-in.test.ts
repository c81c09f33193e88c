import { tryOr } from '@signalbox/contracts/system-error';
import { createIdentityCode, linkIdentity, unlinkIdentity } from '@signalbox/store/people/identities';
import { removeUser } from '@signalbox/store/people/users';
import { loadConfig } from '@signalbox/gateway/config';
import { describe, expect, test } from 'vitest';
import { until } from '../support/until.ts';
import { START_KEY } from '../support/wiring.ts';
import { ADA, addPerson, bench, useBench } from './bench.ts';
import { cookieOf, postSession, readSession, signedIn } from './requests.ts';

useBench();

const BEN = '1002';
const NOBODY = { person: null, demoPeople: [], commands: [] };
const createCode = (userKey: string = ADA): Promise<string> => createIdentityCode(bench.harness.pool, userKey);
const logins = (): Promise<readonly { token_hash: string; user_key: string }[]> =>
  bench.harness.rows('select token_hash, user_key from web_logins order by created_at');

describe('a sign-in code', () => {
  test('signs its person in with their role, and with a cookie hidden from scripts and other sites', async () => {
    const { url } = await bench.start();
    const response = await postSession(url, { code: await createCode() });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ person: { name: 'Ada', role: 'admin' }, demoPeople: [] });
    const [cookie] = response.headers.getSetCookie();
    expect(cookie).toMatch(/^signalbox=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Strict$/);
    expect(await readSession(url, cookieOf(response))).toMatchObject({ person: { name: 'Ada', role: 'admin' } });
  });

  test('works only once', async () => {
    const { url } = await bench.start();
    const code = await createCode();
    expect((await postSession(url, { code })).status).toBe(200);
    expect((await postSession(url, { code })).status).toBe(401);
    expect(await logins()).toHaveLength(1);
  });

  test('signs in one of several browsers that use it at the same time', async () => {
    const [first, second] = [await bench.start(), await bench.start({ GATEWAY_NAME: 'other' })];
    const code = await createCode();
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, place) => postSession(place % 2 === 0 ? first.url : second.url, { code })),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(await logins()).toHaveLength(1);
  });

  test('is refused in the same way when it is unknown, used, expired, or of a person without a role', async () => {
    const { url } = await bench.start();
    const [used, expired, former] = [await createCode(), await createCode(), await createCode(BEN)];
    await postSession(url, { code: used });
    await removeUser(bench.harness.pool, BEN);
    await bench.harness.rows(
      `update identity_codes set expires_at = now() - interval '1 s' where person = $1 and used_at is null`,
      [ADA],
    );
    const answers = await Promise.all(
      [used, expired, former, 'AAAA-BBBB-CCCC'].map((code) => postSession(url, { code })),
    );
    const told = answers.map(({ status, headers }) => [status, headers.get('content-length'), headers.getSetCookie()]);
    expect(told).toEqual(told.map(() => [401, '0', []]));
    expect(await logins()).toHaveLength(1);
  });

  test('is refused after ten wrong codes from the same address, and not from other addresses', async () => {
    const { url } = await bench.start();
    const code = await createCode();
    for (let n = 0; n < 10; n += 1)
      expect((await postSession(url, { code: `WRON-GCOD-${1000 + n}` })).status).toBe(401);
    const refused = await postSession(url, { code });
    expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([429, true]);
    expect((await postSession(url, { code }, { 'x-forwarded-for': '198.51.100.7' })).status).toBe(200);
  });
});

describe('a login', () => {
  test('survives a restart of the gateway when no other program could take the port', async () => {
    const first = await bench.start();
    const cookie = await bench.signIn(first.url);
    await first.close();
    const second = await bench.start();
    expect(await readSession(second.url, cookie)).toMatchObject({ person: { name: 'Ada' } });
  });

  test.each([
    ['of a gateway that binds its own', ''],
    ['of another `npm start`', 'start-of-another'.padEnd(32, '0')],
  ])('is invalid after a restart %s, because another program may have seen its cookie', async (_of, key) => {
    const first = await bench.start({ WEB_START_KEY: key && 'start-of-this'.padEnd(32, '0') });
    const cookie = await bench.signIn(first.url);
    expect(await readSession(first.url, cookie)).toMatchObject({ person: { name: 'Ada' } });
    await first.close();
    const second = await bench.start({ WEB_START_KEY: key });
    expect(await readSession(second.url, cookie)).toMatchObject({ person: null });
    const page = await bench.open({ url: second.url, cookie });
    await until(() => page.closed !== null);
    expect(page.closed?.code).toBe(4001);
  });

  test('gets a new token, and the token that the browser sent becomes invalid', async () => {
    const { url } = await bench.start();
    const planted = `signalbox=${'A'.repeat(43)}`;
    const first = cookieOf(await postSession(url, { code: await createCode() }, { cookie: planted }));
    expect(first).not.toBe(planted);
    expect(await readSession(url, planted)).toEqual(NOBODY);
    const second = cookieOf(await postSession(url, { code: await createCode(BEN) }, signedIn(first)));
    expect(second).not.toBe(first);
    expect(await readSession(url, first)).toEqual(NOBODY);
    expect(await readSession(url, second)).toMatchObject({ person: { name: 'Ben' } });
  });

  test('stores no token in the database', async () => {
    const { url } = await bench.start();
    const token = (await bench.signIn(url)).split('=')[1] ?? '';
    const [login] = await logins();
    expect(login?.token_hash).toMatch(/^[0-9a-f]{64}$/);
    expect(JSON.stringify(await bench.harness.rows('select * from web_logins'))).not.toContain(token);
  });

  test('ends with the sign-out on every gateway, and closes only its own pages', async () => {
    const [first, second] = [await bench.start(), await bench.start({ GATEWAY_NAME: 'other' })];
    const cookie = await bench.signIn(first.url);
    const other = await bench.signIn(first.url);
    const pages = [await bench.open({ url: first.url, cookie }), await bench.open({ url: second.url, cookie })];
    const stays = await bench.open({ url: second.url, cookie: other });
    const left = await fetch(`${first.url}/session`, {
      method: 'DELETE',
      headers: { ...signedIn(cookie), origin: first.url },
    });
    expect(left.status).toBe(204);
    await until(() => pages.every(({ closed }) => closed?.code === 4001));
    expect(await readSession(second.url, cookie)).toEqual(NOBODY);
    expect((await bench.open({ url: second.url, cookie })).refused).toBeNull();
    await until(async () => (await bench.open({ url: second.url, cookie })).closed?.code === 4001);
    expect(stays.closed).toBeNull();
  });

  test('ends when its person loses their role in any channel', async () => {
    const { url } = await bench.start();
    const cookie = await bench.signIn(url, BEN);
    const page = await bench.open({ url, cookie });
    await removeUser(bench.harness.pool, BEN);
    // Nothing more is shown, not even before the gateway has looked.
    await bench.harness.say('web:1002', [{ text: 'for your eyes alone' }]);
    await until(() => page.closed?.code === 4001);
    expect(page.texts()).toEqual([]);
    expect(await readSession(url, cookie)).toEqual(NOBODY);
  });

  test('ends when its identity is unlinked', async () => {
    const { url } = await bench.start();
    const cookie = await bench.signIn(url);
    const page = await bench.open({ url, cookie });
    expect(await unlinkIdentity(bench.harness.pool, `web-${ADA}`, ADA)).toBe(true);
    await until(() => page.closed?.code === 4001);
  });

  test('expires when it is unused, and is renewed by use', async () => {
    const { url } = await bench.start();
    const cookie = await bench.signIn(url);
    await bench.harness.rows(`update web_logins set expires_at = now() + interval '1 day'`);
    const used = await fetch(`${url}/session`, { headers: signedIn(cookie) });
    expect(used.headers.getSetCookie()[0]).toContain(cookie.split('#')[0]);
    const [row] = await bench.harness.rows<{ days: number }>(
      'select extract(day from expires_at - now())::int as days from web_logins',
    );
    expect(row?.days).toBeGreaterThan(28);
    await bench.harness.rows(`update web_logins set expires_at = now() - interval '1 s'`);
    expect(await readSession(url, cookie)).toEqual(NOBODY);
    await until(async () => (await bench.open({ url, cookie })).closed?.code === 4001);
  });

  test('ends when its person has twenty newer logins', async () => {
    const { url } = await bench.start();
    const first = await bench.signIn(url);
    for (let n = 0; n < 20; n += 1) await bench.signIn(url);
    expect(await logins()).toHaveLength(20);
    expect(await readSession(url, first)).toEqual(NOBODY);
  });

  test('is for the same person, whichever of their linked identities made the code', async () => {
    const { url } = await bench.start();
    await linkIdentity(bench.harness.pool, { userKey: 'whatsapp-491701', channel: 'whatsapp', name: 'Ada' }, ADA);
    await bench.signIn(url, 'whatsapp-491701');
    await bench.signIn(url);
    expect((await logins()).map(({ user_key: key }) => key)).toEqual([`web-${ADA}`, `web-${ADA}`]);
  });
});

describe('the demo people on the sign-in page', () => {
  test('are offered when only the local machine can connect, and do not include programs', async () => {
    const { url } = await bench.start({ WEB_DEMO_PEOPLE: 'on' });
    await addPerson('ingress-ci');
    await bench.harness.rows(`update users set is_program = true where user_key = 'ingress-ci'`);
    const printed = `${url}/${START_KEY}`;
    const { demoPeople } = (await readSession(printed, null)) as { demoPeople: { id: string }[] };
    expect(demoPeople.map(({ id }) => id)).toEqual(['1001', '1002', '1005']);
    const chosen = await postSession(printed, { person: '1005' });
    expect(await readSession(url, cookieOf(chosen))).toMatchObject({ person: { name: 'Eli', role: 'viewer' } });
    expect((await postSession(printed, { person: 'ingress-ci' })).status).toBe(401);
    expect((await fetch(`${printed}/`)).status).toBe(200);
  });

  test('cannot be chosen by a local program that does not know the printed address', async () => {
    const started = await bench.start({ WEB_DEMO_PEOPLE: 'on' });
    const { url } = started;
    expect(await readSession(url, null)).toEqual(NOBODY);
    expect((await postSession(url, { person: ADA })).status).toBe(401);
    for (const key of ['x', 'webhook', ':key', '*', START_KEY.slice(1), `${START_KEY}0`]) {
      expect((await fetch(`${url}/${key}/session`)).status).toBe(404);
      expect((await postSession(`${url}/${key}`, { person: ADA })).status).toBe(404);
    }
    expect(await logins()).toEqual([]);
    const metrics = await (await fetch(`http://127.0.0.1:${started.gateway.probe.port}/metrics`)).text();
    expect(metrics).toContain('/session');
    expect(metrics).not.toContain(START_KEY);
  });

  test('keep a gateway without a start key from starting', async () => {
    const start = bench.start({ WEB_DEMO_PEOPLE: 'on', WEB_START_KEY: '' });
    await expect(start).rejects.toThrow(/WEB_START_KEY/);
  });

  test('cannot be chosen at a gateway that is not configured to offer them', async () => {
    const { url } = await bench.start();
    expect((await postSession(url, { person: ADA })).status).toBe(401);
    expect(await logins()).toEqual([]);
  });

  test('keep a gateway that other machines can reach from starting', async () => {
    const start = bench.start({ WEB_DEMO_PEOPLE: 'on', GATEWAY_HTTP_HOST: '0.0.0.0' });
    await expect(start).rejects.toThrow(/WEB_DEMO_PEOPLE/);
  });
});

describe('the public address of the web page', () => {
  test('limits the cookie to its host and to https', async () => {
    const { url } = await bench.start({ WEB_PUBLIC_URL: 'https://chat.example.org' });
    const response = await postSession(url, { code: await createCode() }, { origin: 'https://chat.example.org' });
    expect(response.headers.getSetCookie()[0]).toMatch(
      /^__Host-signalbox=[\w-]{43}; .*Path=\/; HttpOnly; Secure; SameSite=Strict$/,
    );
    expect(response.headers.get('strict-transport-security')).toMatch(/max-age=\d{8}/);
    const ours = await postSession(url, { code: await createCode() });
    expect(ours.status).toBe(403);
  });

  test.each([
    ['http://chat.example.org', /https/],
    ['https://chat.example.org/page', /path/],
    ['ftp://chat.example.org', /WEB_PUBLIC_URL/],
  ])('is refused when it is %s', (given, problem) => {
    const settings = {
      GATEWAY_CHANNELS: 'web',
      DATABASE_URL: 'postgres://x',
      REDIS_URL: 'redis://x',
      SECRETS_SEALING_KEY: 'x',
    };
    expect(() => loadConfig({ ...settings, WEB_PUBLIC_URL: given })).toThrow(problem);
  });

  // Browsers send a page's cookies to its host, whatever the port, and let a host and those below it share cookies.
  test.each([
    ['https://chat.example.org', 'chat.example.org', false],
    ['https://chat.example.org', 'CHAT.example.org.', false],
    ['https://chat.example.org', 'example.org', false],
    ['https://example.org', 'shop.example.org', false],
    [undefined, 'localhost', false],
    [undefined, 'shop.localhost', false],
    ['https://chat.example.org', 'shop.example.org', true],
    ['https://chat.example.org', 'notchat.example.org', true],
    [undefined, '127.0.0.1', true],
  ])('at %s with deployed services at %s is accepted: %s', (page, services, isFine) => {
    const given = page === undefined ? {} : { WEB_PUBLIC_URL: page };
    const places = { DATABASE_URL: 'postgres://x', REDIS_URL: 'redis://x', SECRETS_SEALING_KEY: 'x' };
    const settings = { GATEWAY_CHANNELS: 'web', PROXY_PUBLIC_HOST: services, ...places, ...given };
    const isTaken = tryOr(() => loadConfig(settings).channels.length > 0, false);
    expect(isTaken).toBe(isFine);
  });
});
