import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Person } from '../../support/person.ts';
import { eventually } from '../../support/until.ts';
import { alertmanagerBody, openAlarmStack, TOKEN, type AlarmStack } from './alarm-stack.ts';

let alarms: AlarmStack;
let admin: Person;
beforeAll(async () => {
  alarms = await openAlarmStack([{ name: 'alertmanager', kind: 'alertmanager', secret: TOKEN, projects: ['todo'] }]);
  admin = await alarms.stack.person(1001, 'admin');
  await admin.ask('hello');
}, 60_000);
afterAll(() => alarms.stack.close());

/** The messages that contain a text, as they stand now. */
const cards = async (words: string): Promise<readonly string[]> =>
  (await admin.heard()).map(({ text }) => text).filter((text) => text.includes(words));

test('an alarm of Alertmanager is told to an admin within 5 s, with its own words as a quotation', async () => {
  const started = Date.now();
  const response = await alarms.post(
    alertmanagerBody({ name: 'TellMe', annotations: { summary: '**now** [x](http://evil.example)' } }),
  );
  expect([response.status, await response.json()]).toEqual([200, { taken: 1, told: 1 }]);
  const text = await admin.waitFor(/TellMe/);
  expect(Date.now() - started).toBeLessThan(5_000);
  expect(text).toContain('Critical alarm');
  expect(text).toContain('alertmanager');
  expect(text).toContain('**now** [x](http://evil.example)');
  expect(text).toContain('http://prometheus.example.org:9090/graph');
});

test('an alarm is told once however often it fires, and its end is told once', async () => {
  const firing = { name: 'Often', labels: { severity: 'warning' } };
  await alarms.post(alertmanagerBody(firing));
  await admin.waitFor(/Often/);
  for (const startsAt of ['2026-11-28T10:00:00.000Z', '2026-11-28T10:00:00.001Z', '2026-11-28T10:00:00.002Z'])
    await alarms.post(alertmanagerBody({ ...firing, startsAt }));
  for (let times = 0; times < 3; times++) await alarms.post(alertmanagerBody({ ...firing, status: 'resolved' }));
  await admin.waitFor(/is over after/);
  await eventually(
    () => cards('Often'),
    (found) => found.some((text) => text.includes('Over since')),
  );
  expect((await cards('Often')).map((text) => text.includes('is over after'))).toEqual([false, true]);
  expect((await cards('is over after')).filter((text) => text.includes('repeated'))).toHaveLength(1);
  const { rows } = await alarms.stack.pool.query(
    'select repeats, closed_at is not null as over from incidents where evidence is not null order by incident_id desc limit 1',
  );
  expect(rows).toEqual([{ repeats: 2, over: true }]);
});

test('Diagnose leaves Take and Silence on the card', async () => {
  const { pool } = alarms.stack;
  await pool.query(
    `insert into projects (name, description, owner, action_id) values ('todo', '', '1001', 'act_todo');
     insert into services (project, environment, server) values ('todo', 'staging', 'local');
     insert into deployments (deployment_id, project, environment, server, driver, kind, ref, state, user_key, thread_id)
     values ('act_todo_1', 'todo', 'staging', 'local', 'process', 'deploy', '1.0', 'succeeded', '1001', 'thr_1')`,
  );
  const alarm = { name: 'DiagnoseMe', labels: { project: 'todo', environment: 'staging' } };
  await alarms.post(alertmanagerBody(alarm));
  await admin.waitFor(/DiagnoseMe/);
  const labels = async (): Promise<readonly string[]> =>
    (await admin.heard())
      .filter(({ text }) => text.includes('DiagnoseMe'))
      .flatMap(({ buttons }) => (buttons ?? []).flat().map(({ text }) => text));
  const before = await labels();
  expect(before).toEqual(expect.arrayContaining(['✋ Take it', 'Diagnose']));
  for (let times = 1; times <= 2; times += 1) {
    await admin.click('Diagnose');
    await eventually(
      async () => (await pool.query(`select 1 from inbox where envelope ->> 'button' is not null`)).rowCount,
      (count) => count === times,
    );
    await eventually(labels, (now) => JSON.stringify(now) === JSON.stringify(before));
  }
  await admin.click('✋ Take it');
  await eventually(
    () => cards('DiagnoseMe'),
    ([text = '']) => text.includes('looks after it'),
  );
});

test('Take shows on the card who looks after the alarm, and Silence until when it is quiet', async () => {
  await alarms.post(alertmanagerBody({ name: 'TakeMe' }));
  await admin.waitFor(/TakeMe/);
  await admin.click('✋ Take it');
  await eventually(
    () => cards('TakeMe'),
    ([text = '']) => text.includes('Ada looks after it'),
  );
  await admin.click('🔕 Silence 1 h');
  await eventually(
    () => cards('TakeMe'),
    ([text = '']) => text.includes('Silenced until'),
  );
  const [card] = (await admin.heard()).filter(({ text }) => text.includes('TakeMe'));
  expect(card?.buttons ?? []).toEqual([]);
});

test.each([
  ['without a token', {}],
  ['with a wrong token', { authorization: `Bearer ${TOKEN}x` }],
  ['with two tokens', { authorization: `Bearer ${TOKEN}, Bearer ${TOKEN}` }],
  ['with the token as a signature', { 'x-hub-signature-256': TOKEN }],
])('a request %s is refused, whether its source exists or not', async (_, headers) => {
  for (const source of ['alertmanager', 'nobody', 'constructor', '..%2falertmanager']) {
    const response = await alarms.post(alertmanagerBody({ name: 'Never' }), { source, headers });
    expect([response.status, await response.text()]).toEqual([401, '']);
  }
  expect(await cards('Never')).toEqual([]);
});

test('a password of basic authentication is a proof too', async () => {
  const authorization = `Basic ${Buffer.from(`prometheus:${TOKEN}`).toString('base64')}`;
  expect((await alarms.post(alertmanagerBody({ name: 'Basic' }), { headers: { authorization } })).status).toBe(200);
});
