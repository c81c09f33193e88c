import { createIdentityCode } from '@signalbox/store/people/identities';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { openStack, type Stack } from '../support/stack.ts';
import { eventually, until } from '../support/until.ts';
import { TestPage, type PageOptions } from './page.ts';
import { cookieOf, postSession } from './requests.ts';

describe('the mode that a page reports', () => {
  let stack: Stack;
  let url: string;
  let next = 2700;
  beforeAll(async () => {
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    stack = await openStack({ env: { GATEWAY_CHANNELS: 'telegram,web', GATEWAY_HTTP_PORT: String(port) } });
  });
  afterAll(() => stack.close());

  /** The page of somebody new. */
  const open = async (options: Partial<PageOptions> = {}) => {
    const id = (next += 1);
    await stack.person(id, 'developer');
    const cookie = cookieOf(await postSession(url, { code: await createIdentityCode(stack.pool, String(id)) }));
    return new TestPage({ url, cookie, ...options }).opened();
  };
  const userKey = (): string => `web-${next}`;
  const read = async <T extends object>(sql: string): Promise<readonly T[]> =>
    (await stack.pool.query<T>(sql, [userKey()])).rows;
  const modesSettled = (count: number): Promise<unknown> =>
    eventually(
      () => read(`select outcome, reason from inbox where user_key = $1 and kind = 'mode' and outcome is not null`),
      ({ length }) => length === count,
    );
  /** Finds products with a page, and waits for them. */
  const findProducts = async (page: TestPage): Promise<void> => {
    page.say('the house is worth 300,000 and I want to borrow 210,000, fixed for 5 years');
    await until(() => page.find('products fit'));
  };

  it("redraws the view for voice in place, without a message in the person's name", async () => {
    const page = await open({ agent: 'mortgage' });
    await findProducts(page);
    const before = page.find('products fit');
    const shown = page.shown.length;
    expect(before?.props['text']).toContain('| Rate | Fee | A month |');
    page.send('client.mode.update', { mode: 'voice', device: 'desktop' });
    const after = await until(() => page.find('At 4.12% it is £1,122.42 a month'));
    expect(after).toMatchObject({
      id: before?.id,
      place: before?.place,
      props: { receipts: before?.props['receipts'] },
    });
    expect(after.version).not.toBe(before?.version);
    expect(after.props['text']).not.toContain('|');
    expect(page.shown).toHaveLength(shown);
    // A button of what was drawn anew means the same.
    page.press('Choose 4.12%');
    await until(() => page.find('£1,122.42 a month for 5 years.'));
    expect(await read(`select kind, outcome from inbox where user_key = $1 order by id`)).toEqual([
      { kind: 'message', outcome: 'answered' },
      { kind: 'mode', outcome: 'answered' },
      { kind: 'message', outcome: 'answered' },
    ]);
    page.socket.terminate();
  });

  it('changes nothing when it is reported again', async () => {
    const page = await open({ agent: 'mortgage' });
    await findProducts(page);
    for (let count = 0; count < 3; count += 1) page.send('client.mode.update', { mode: 'text', device: 'mobile' });
    await modesSettled(3);
    await until(() => page.find('- 4.12%, fee £999: **£1,122.42** a month'));
    expect(await read(`select 1 from outbox where user_key = $1 and (body -> 'onlyChanges')::boolean`)).toHaveLength(1);
    page.socket.terminate();
  });

  it('takes effect in the order in which the page sent it and its messages', async () => {
    const page = await open({ agent: 'mortgage' });
    page.say('the house is worth 300,000 and I want to borrow 210,000, fixed for 5 years');
    page.send('client.mode.update', { mode: 'voice', device: 'desktop' });
    page.say('mortgage.select_product {"productId":"fix5-75"}');
    page.send('client.mode.update', { mode: 'text', device: 'desktop' });
    await modesSettled(2);
    const rows = await read<{ kind: string }>(`select kind from inbox where user_key = $1 order by id`);
    expect(rows.map(({ kind }) => kind)).toEqual(['message', 'mode', 'message', 'mode']);
    const chosen = await until(() => page.find('- £1,122.42 a month for 5 years.'));
    expect(chosen.props['text']).toContain('rounded to the cent');
    // What was no longer shown when the mode changed again stays as it was drawn.
    await until(() => page.find('At 4.12% it is'));
    page.socket.terminate();
  });

  it('applies to the first message when the page reports it at the start', async () => {
    const page = await open({ agent: 'mortgage', device: 'mobile', mode: 'text' });
    await findProducts(page);
    expect(page.find('products fit')?.props['text']).toContain('- 4.12%, fee £999: **£1,122.42** a month');
    page.socket.terminate();
  });

  it('starts no conversation, and no turn of an agent that ignores modes', async () => {
    const page = await open({ agent: 'mortgage' });
    page.send('client.mode.update', { mode: 'voice', device: 'mobile' });
    await modesSettled(1);
    expect(await read('select 1 from threads where user_key = $1')).toEqual([]);
    page.say('/agent product_owner');
    await until(() => page.find('answers you here'));
    page.say('hello');
    await until(() => page.shown.length > 3);
    const turns = (): Promise<readonly unknown[]> => read('select turn_id from turns where user_key = $1');
    const before = await turns();
    page.send('client.mode.update', { mode: 'text', device: 'desktop' });
    await modesSettled(2);
    expect(await turns()).toEqual(before);
    page.socket.terminate();
  });

  it.each([
    { mode: 'loud', device: 'desktop' },
    { mode: 'voice', device: 'watch' },
    { mode: 'voice' },
    { mode: ['voice'], device: 'desktop' },
    'voice',
    null,
  ])('closes the page when it is %j, and leaves no row', async (payload) => {
    const page = await open({ agent: 'mortgage' });
    page.send('client.mode.update', payload);
    await until(() => page.closed);
    expect(page.closed?.code).toBe(4002);
    expect(await read(`select 1 from inbox where user_key = $1 and kind = 'mode'`)).toEqual([]);
  });
});
