import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openHarness, PEOPLE, until, type Harness } from './harness.ts';

let harness: Harness;

beforeAll(async () => {
  harness = await openHarness();
  await harness.startGateway();
  await harness.meet(1001, 1002);
});
afterAll(() => harness.close());
beforeEach(() => harness.rows('delete from runs'));

/** A log that Ben follows, as the tool and the job service would have it. */
async function follow(runId: string, followSeconds = 30): Promise<void> {
  await harness.rows(
    `insert into runs (run_id, job, payload, user_key, chat_key, trace_id, status, beat_at)
     values ($1, 'service.logs', $2, $3, 'telegram:1002', 'trc', 'running', now())`,
    [runId, JSON.stringify({ project: 'shop', followSeconds }), PEOPLE.developer],
  );
}
const stopped = async (runId: string): Promise<boolean> =>
  (await harness.rows('select 1 from runs where run_id = $1 and cancel_at is not null', [runId])).length === 1;
const newest = async (): Promise<{ text: string; outcome: string | null; reason: string | null } | undefined> =>
  (
    await harness.rows<{ text: string; outcome: string | null; reason: string | null }>(
      `select envelope ->> 'text' as text, outcome, reason from inbox where user_key = $1 order by id desc limit 1`,
      [PEOPLE.developer],
    )
  )[0];
const write = async (text: string): Promise<void> => {
  await harness.people.post('/api/messages', { from: 1002, text });
  await until('it is admitted', async () => (await newest())?.text === text);
};

test('“stop” ends a followed log at once, without a turn or an answer', async () => {
  await follow('act_f1');
  const before = (await harness.said(1002)).length;
  await write('Stop!');
  expect(await stopped('act_f1')).toBe(true);
  expect(await newest()).toMatchObject({ outcome: 'answered', reason: 'log stopped' });
  expect((await harness.said(1002)).length).toBe(before);
});

test('“stop” is an ordinary message when no log is followed, and a longer sentence always is', async () => {
  await follow('act_f2', 0);
  await write('stop');
  expect(await newest()).toMatchObject({ outcome: null });
  await follow('act_f3');
  await write('stop shop in staging');
  expect(await newest()).toMatchObject({ outcome: null });
  expect(await stopped('act_f3')).toBe(false);
});

test('/stop also ends a followed log, and does not answer that nothing is running', async () => {
  await harness.rows(`update inbox set outcome = 'answered' where outcome is null`);
  await follow('act_f4');
  await write('/stop');
  expect(await stopped('act_f4')).toBe(true);
  // It would have been written in the transaction that stopped the log.
  expect(
    await harness.rows(`select 1 from outbox where chat_key = 'telegram:1002' and body ->> 'text' ~* 'nothing'`),
  ).toEqual([]);
});

test('the Stop button of a log ends that log once, and only for the person who follows it', async () => {
  await follow('act_f5');
  const [id] = await harness.say('telegram:1002', [
    { text: 'Log of shop', buttons: [{ label: 'Stop', value: 'stop', ends: 'act_f5' }], slot: 'act_f5/log' },
  ]);
  await until('it is sent', async () => {
    const [row] = await harness.rows<{ status: string }>('select status from outbox where id = $1', [id]);
    return row?.status === 'sent';
  });
  const press = async (): Promise<string> => {
    const { callbackQueryId } = await harness.people.post('/api/clicks', { from: 1002, button: 'Stop' });
    return until('the press is answered', async () => {
      const click = await harness.people.get<{ answered: boolean; text: string }>(`/api/clicks/${callbackQueryId}`);
      return click.answered && click.text;
    });
  };
  await harness.rows(`update runs set user_key = '1001'`);
  expect(await press()).toBe('That log has ended, or somebody else is following it.');
  expect(await stopped('act_f5')).toBe(false);
  await harness.rows(`update runs set user_key = '1002'`);
  expect(await press()).toBe('Stopping.');
  expect(await stopped('act_f5')).toBe(true);
  expect(await newest()).toMatchObject({ outcome: 'answered' });
});
