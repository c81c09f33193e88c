import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Person } from '../../support/person.ts';
import { eventually } from '../../support/until.ts';
import { alertmanagerBody, openAlarmStack, type AlarmStack } from './alarm-stack.ts';

// A night on call, as the whole product has it: each service under its own login, and people in Telegram.

let alarms: AlarmStack;
let ada: Person;
let ben: Person;
let cleo: Person;
beforeAll(async () => {
  alarms = await openAlarmStack();
  ada = await alarms.stack.person(1001, 'admin');
  ben = await alarms.stack.person(1002, 'developer');
  cleo = await alarms.stack.person(1003, 'developer');
  for (const person of [ada, ben, cleo]) await person.ask('hello');
}, 90_000);
afterAll(() => alarms.stack.close());

const textsOf = async (person: Person, words: string): Promise<readonly string[]> =>
  (await person.heard()).map(({ text }) => text).filter((text) => text.includes(words));

test('an admin sets a rota in one message, and it is said back with the next three hand-overs', async () => {
  expect((await ada.ask('/oncall'))[0]).toContain('/oncall set');
  const [said = ''] = await ada.ask('/oncall set Ben, 1003, every monday at 9 in Europe/Berlin, after 1 min');
  expect(said).toContain(
    'Rota main for all projects: Ben and Cleo take turns, every Monday at 09:00 (Europe/Berlin); Ben is on call now.',
  );
  expect(said).toMatch(
    /The next hand-overs \(Europe\/Berlin\): Mon, .*, 09:00 to Cleo · Mon, .* to Ben · Mon, .* to Cleo\./,
  );
  expect(said).toContain('after 1 minute without an answer');
  await ben.waitFor(
    /You are on call now for main \(all projects\), until Mon, .*09:00 \(Europe\/Berlin\)\. Ada has set it\./,
  );
  await cleo.waitFor(/You take turns in main .*your next turn begins Mon, .*09:00/);
  expect((await cleo.ask('/oncall'))[0]).toMatch(/main \(all projects\): Ben is on call until Mon, .*then Cleo/);
  expect((await cleo.ask('who is on call?')).join()).toMatch(/Ben is on call until Mon/);
});

test.each([
  ['/oncall set Nobody, every monday at 9', 'I know no one named Nobody'],
  ['/oncall set Ben, every blue moon at 9', 'every blue moon at 9'],
  ['/oncall set Ben, every monday at 9 in Mars/Base', 'Mars/Base'],
  ['/oncall set Ben, after 15 min, for moon', 'There is no project “moon”'],
  ['/oncall set Ben, Ben', 'twice'],
  ['/oncall set *Night*: Ben', 'is no name of a rota'],
  ['/oncall set second: Ben', 'already for all projects'],
  ['/oncall set', 'Name whoever takes turns'],
  ['/oncall dance', '/oncall set Ben, Cleo, every monday at 9'],
  ['/oncall cover Ben until yesterday', 'I do not understand the time “yesterday”'],
  ['/oncall uncover Ben', 'covers nothing'],
  ['/oncall remove other', 'There is no rota “other”. Known: main'],
])('“%s” changes nothing and says what is wrong', async (typed, answer) => {
  const before = await alarms.stack.pool.query('select * from rotas');
  expect((await ada.ask(typed))[0]).toContain(answer);
  expect((await alarms.stack.pool.query('select * from rotas')).rows).toEqual(before.rows);
});

test('a name that two people carry is asked back, and a developer sets nothing', async () => {
  await alarms.stack.pool.query(
    `insert into users (user_key, channel, name, role) values ('4002', 'telegram', 'ben', 'developer')`,
  );
  expect((await ada.ask('/oncall set Ben'))[0]).toContain('Which Ben? Write the id: 1002, 4002.');
  await alarms.stack.pool.query(`delete from users where user_key = '4002'`);
  expect((await cleo.ask('/oncall set Cleo'))[0]).toContain('admin');
  expect((await cleo.ask('/oncall cover Cleo until tomorrow at 9'))[0]).toContain('operator');
});

test('an alarm goes to the second when the first does not answer; who takes it stands on both messages, and hears the end', async () => {
  await alarms.post(alertmanagerBody({ name: 'DiskFull' }));
  await ben.waitFor(/DiskFull/);
  expect(await textsOf(ada, 'DiskFull')).toEqual([]);
  await alarms.stack.pool.query(`update incidents set told_at = told_at - interval '2 minutes'`);
  expect(await cleo.waitFor(/DiskFull/)).toContain('⏫ Ben has not answered for 2 minutes, so I am asking you.');
  await cleo.click('✋ Take it');
  for (const person of [ben, cleo])
    await eventually(
      () => textsOf(person, 'DiskFull'),
      ([text = '']) => text.includes('Cleo looks after it'),
    );
  await alarms.stack.pool.query(`update incidents set told_at = told_at - interval '1 hour'`);
  await alarms.post(alertmanagerBody({ name: 'DiskFull', status: 'resolved' }));
  await cleo.waitFor(/is over after/);
  await eventually(
    () => textsOf(ben, 'DiskFull'),
    ([text = '']) => text.includes('Over since'),
  );
  expect(await textsOf(ben, 'is over after')).toEqual([]);
  expect(await textsOf(ada, 'DiskFull')).toEqual([]);
});

test('the hand-over in the morning tells both who is on call and what happened, once', async () => {
  await alarms.stack.pool.query(`update incidents set opened_at = opened_at - interval '1 hour'`);
  await alarms.stack.pool.query(
    `update rotas set weekday = null, zone = 'UTC', clock = to_char(now() at time zone 'UTC' - interval '1 minute', 'HH24:MI'),
       first_day = (now() at time zone 'UTC' - interval '1 minute')::date - 1, changed_at = now() - interval '12 hours'`,
  );
  for (const person of [ben, cleo]) {
    const text = await person.waitFor(/Hand-over of main/);
    expect(text).toMatch(/Ben goes off call, Cleo is on call until .* \(UTC\)\./);
    expect(text).toContain('In the turn of Ben: one incident, 1 taken, 0 still open.');
    expect(text).toContain('Nothing is open now.');
  }
  expect(await textsOf(ada, 'Hand-over')).toEqual([]);
});

test('somebody covers for a time, which is said to whom it puts on call and off call', async () => {
  const [said = ''] = await ada.ask('/oncall cover Ben until tomorrow at 18:00');
  expect(said).toMatch(/Ben covers main from .* until .*18:00 \(UTC\)\./);
  await ben.waitFor(/You are on call now for main/);
  await cleo.waitFor(/You are no longer on call for main/);
  expect((await ada.ask('/oncall'))[0]).toMatch(/Ben is on call until [^]*↪ Ben covers from/);
  expect((await ada.ask('/oncall uncover Ben'))[0]).toContain('Ben no longer covers main.');
  expect((await ada.ask('/oncall remove main'))[0]).toContain('is removed');
  await cleo.waitFor(/You are no longer on call for main\. Ada has set it\./);
  const { rows } = await alarms.stack.pool.query(
    `select kind from audit_events where kind like 'rota.%' order by event_id`,
  );
  expect(rows.map(({ kind }) => kind as string)).toEqual([
    'rota.set',
    'rota.covered',
    'rota.uncovered',
    'rota.removed',
  ]);
});

test('two alarms have their names in the list and at their end, as quoted text of one line', async () => {
  const title = 'Disk ”full”\n**[now](http://evil.example)** ' + 'x'.repeat(90);
  const labels = { project: 'shop', environment: 'staging' };
  await alarms.post(alertmanagerBody({ name: title, labels }));
  await alarms.post(alertmanagerBody({ name: 'CertExpires', labels: { severity: 'warning' } }));
  await ada.waitFor(/CertExpires/);
  const [listed = ''] = await ada.ask('/incidents');
  expect(listed).toMatch(/^• Warning “CertExpires.*” from alertmanager\. For /m);
  expect(listed).toMatch(/^• Critical alarm “Disk 'full' \*\*\[now\]\(… x{20,70}…” from alertmanager/m);
  await alarms.post(alertmanagerBody({ name: 'CertExpires', labels: { severity: 'warning' }, status: 'resolved' }));
  expect(await ada.waitFor(/The warning from alertmanager is over after/)).toMatch(/own words:[^]*CertExpires/);
  await alarms.post(alertmanagerBody({ name: title, labels, status: 'resolved' }));
  await ada.waitFor(/The critical alarm from alertmanager is over after/);
});
