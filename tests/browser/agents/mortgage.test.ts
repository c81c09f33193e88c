import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { openOldThread, readState } from '../../support/old-thread.ts';
import { until } from '../../support/until.ts';
import { overflowOf, PHONE } from '../scene.ts';
import { openAgentsBench, type AgentsBench, type Customer } from './bench.ts';

const executablePath = inject('chromium');
const FIGURES = 'the house is worth 300,000 and I want to borrow 210,000, fixed for 5 years';

describe.skipIf(executablePath === null)('somebody who wants a mortgage, on the web page', () => {
  let bench: AgentsBench;
  let next = 2800;
  beforeAll(async () => {
    bench = await openAgentsBench(executablePath, {
      notReplayed: 'one of its conversations was begun by a release of before',
    });
  }, 60_000);
  afterEach(() => bench.scene.leave());
  afterAll(() => bench?.close());

  const customer = (role?: string): Promise<Customer> => bench.customer((next += 1), role);
  const visits = async (): Promise<readonly unknown[]> =>
    (
      await bench.stack.pool.query('select product_id from mortgage_branch_requests where user_key = $1', [
        `web-${next}`,
      ])
    ).rows;

  it('finds a mortgage with buttons and two typed amounts, and requests a branch visit', async () => {
    const who = await customer();
    const page = await who.open('mortgage');
    await page.write('hello');
    await page.sees('What is the property worth?');
    await page.shoot('mortgage-first');
    await page.write('300,000');
    await page.sees('How much do you want to borrow, or still owe?');
    await page.write('210k');
    await page.sees('For how many years should the rate be fixed?');
    await page.shoot('mortgage-fix');
    await page.press('5 years');
    await page.sees('products fit:');
    expect(await page.page.getByRole('cell', { name: '£1,122.42' }).count()).toBe(1);
    await page.shoot('mortgage-products');
    await page.press('Choose 4.12%');
    await page.sees('£1,122.42 a month for 5 years.');
    await page.shoot('mortgage-selected');
    await page.press('Over 30 years');
    await page.sees('£1,017.15 a month for 5 years.');
    await page.press('Check an address');
    await page.write('14 Semaphore Road, Signal Bay QX1 2BD');
    await page.sees(/I found .*Semaphore Road.* in the register\./);
    await page.shoot('mortgage-address');
    await page.press('Visit a branch');
    await page.sees('A branch will call you to arrange an appointment.');
    await page.shoot('mortgage-branch');
    expect(await visits()).toEqual([{ product_id: 'fix5-75' }]);
    expect(await overflowOf(page.page)).toBe(0);
  });

  it('is offered contact with a person after three messages that the agent did not understand, and requests one visit', async () => {
    const who = await customer();
    const page = await who.open('mortgage');
    for (const text of ['hm', 'the moon', 'purple']) await page.write(text);
    await page.sees('A person can help you better with this.');
    await page.shoot('mortgage-support');
    await page.press('Visit a branch');
    await page.sees('A branch will call you to arrange an appointment.');
    await page.write('I would like an appointment');
    await until(async () => (await page.said()).split('A branch will call you').length === 3);
    expect(await visits()).toHaveLength(1);
  });

  it('whose role may not request a visit is refused with the role that is needed', async () => {
    const who = await customer('viewer');
    const page = await who.open('mortgage');
    await page.write('mortgage.request_branch');
    await page.sees(/developer/);
    expect(await visits()).toEqual([]);
  });

  it('goes on with a conversation of an earlier release, whose state is migrated', async () => {
    const who = await customer();
    const page = await who.open('mortgage');
    const threadId = await openOldThread(bench.stack.pool, { userKey: `web-${next}`, chatKey: `web:${next}` });
    await page.write('over 30 years please');
    await page.sees('£1,017.16 a month for 5 years.');
    const { values } = await readState(bench.stack.pool, threadId);
    expect(values).toMatchObject({ stateVersion: 2, domain: { mortgage: { intent: { termYears: 30 } } } });
    // Asked for before, so it is not asked for again.
    await page.press('Visit a branch');
    await page.sees('A branch will call you to arrange an appointment.');
    expect(await visits()).toEqual([]);
  });

  it('hears answers read aloud after switching speech on, and the message is redrawn in its place', async () => {
    const who = await customer();
    const page = await who.open('mortgage');
    await page.write(FIGURES);
    await page.sees('products fit:');
    expect(await page.page.getByRole('table').count()).toBe(1);
    const rows = await page.page.locator('.row').count();
    await page.page.getByRole('button', { name: 'Read answers aloud' }).click();
    await page.sees('At 4.12% it is £1,122.42 a month, with a fee of £999.');
    expect(await page.page.getByRole('table').count()).toBe(0);
    expect(await page.page.locator('.row').count()).toBe(rows);
    await page.shoot('mortgage-voice');
    await page.page.getByRole('button', { name: 'Read answers aloud' }).click();
    await until(async () => (await page.page.getByRole('table').count()) === 1);
    const { rows: said } = await bench.stack.pool.query(
      `select envelope ->> 'text' as text from inbox where user_key = $1 and kind <> 'mode'`,
      [`web-${next}`],
    );
    expect(said).toEqual([{ text: FIGURES }]);
  });

  it('sees a layout for phones on a phone, and in a window that becomes narrow', async () => {
    const who = await customer();
    const phone = await who.open('mortgage', { ...PHONE, session: 'phone' });
    await phone.write(FIGURES);
    await phone.sees('products fit:');
    expect(await phone.page.getByRole('table').count()).toBe(0);
    expect(await overflowOf(phone.page)).toBe(0);
    const window = await who.open('mortgage', { session: 'window' });
    await window.write(FIGURES);
    await window.page.getByRole('table').waitFor();
    await window.page.setViewportSize(PHONE.viewport ?? { width: 390, height: 844 });
    await until(async () => (await window.page.getByRole('table').count()) === 0);
    await window.sees('4.12%, fee £999:');
    expect(await overflowOf(window.page)).toBe(0);
  });
});
