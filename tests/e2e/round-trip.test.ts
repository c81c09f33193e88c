import { runCommandLine } from '@signalbox/cli/command-line';
import { tryRoundTrip } from '@signalbox/cli/checks/round-trip';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openReceiver, type Receiver } from '../ingress/receiver.ts';
import { writeSources } from '../ingress/sources-file.ts';
import { openTerminal } from '../integration/cli/terminal.ts';
import type { Person } from '../support/person.ts';
import { openStack, type Stack } from '../support/stack.ts';
import { findFreePort } from '@signalbox/local/setup/free-port';

// Every promise tried for real at one person, with the logins that each service has.

const SECRET = 'a secret of the round trip, long enough';
let stack: Stack;
let receiver: Receiver;
let ben: Person;

beforeAll(async () => {
  receiver = await openReceiver(SECRET);
  const account = { name: 'CI', role: 'developer' };
  stack = await openStack({
    jobs: true,
    env: {
      GATEWAY_CHANNELS: 'telegram,ingress',
      GATEWAY_HTTP_PORT: String(await findFreePort()),
      INGRESS_SOURCES_FILE: writeSources([
        { name: 'ci', secret: SECRET, serviceAccount: account, callback: receiver.url },
      ]),
    },
  });
  ben = await stack.person(1002, 'developer');
  await stack.person(1003, 'operator');
  await ben.ask('hello');
}, 60_000);
afterAll(async () => {
  await stack.close();
  await receiver.close();
}, 60_000);

const environment = () => ({
  DATABASE_URL: stack.databaseUrl,
  REDIS_URL: stack.redisUrl,
  REDIS_PREFIX: stack.prefix,
  MODEL: 'offline',
  SIGNALBOX_RUN_FILE: '/none',
});
const doctor = (...words: string[]) => openTerminal(environment())('doctor', ...words);

/** What a round could leave behind. */
const left = async (): Promise<unknown> =>
  (
    await stack.pool
      .query(`select (select count(*)::int from incidents) as incidents, (select count(*)::int from artifacts) as files,
      (select count(*)::int from runs where run_id like 'doctor%') as runs, (select count(*)::int from threads) as threads,
      (select count(*)::int from outbox where status in ('pending', 'sending')) as waiting`)
  ).rows[0];

it('doctor makes a round trip only when it is asked to, and only to a named person', async () => {
  const before = (await ben.heard()).length;
  expect((await doctor()).out).not.toContain('round trip');
  expect(await doctor('--round-trip')).toMatchObject({ code: 2, error: expect.stringContaining('--as <person>') });
  expect(await ben.heard()).toHaveLength(before);
});

it.each([
  ['9999', /Nobody with the id '9999' may speak\. `people list`/],
  ['1003', /P1003 \(1003\) cannot be written to in private: they have to write to the bot there/],
  ['ingress-ci', /CI \(ingress-ci\) cannot be written to in private/],
])('a round trip of doctor to the person %s fails with a remedy', async (person, error) => {
  expect(await doctor('--round-trip', '--as', person)).toMatchObject({ code: 1, error: expect.stringMatching(error) });
});

it(
  'a round trip of doctor tries each promise once on the named person, and leaves no test data behind',
  { timeout: 120_000 },
  async () => {
    const before = await left();
    const heard = (await ben.heard()).length;
    // A program that has named its callback once.
    await stack.pool.query(`insert into ingress_events (event_id, source, callback) values ('evt_1', 'ci', $1)`, [
      receiver.url,
    ]);
    const { out } = await doctor('--round-trip', '--as', '1002');
    const lines = out.split('\n').filter((line) => line.includes('round trip'));
    expect(lines.map((line) => line.replace(/ {2,}/g, ' ').replace(/, after .*/, ''))).toEqual([
      '✓ ok round trip: reply a message was delivered',
      '✓ ok round trip: incident an incident of a test kind was told',
      '✓ ok round trip: job knowledge.index was run and its end told',
      '✓ ok round trip: file a file was sent',
      '✓ ok round trip: audit seal an event was sealed, and that told',
      '✓ ok round trip: webhook the program ci was called back, and that told',
    ]);
    const texts = (await ben.heard()).slice(heard).map(({ text }) => text);
    for (const pattern of [
      /is testing whether everything reaches you/,
      /an incident would reach you/,
      /🔧 Test: a file/,
      /was sealed/,
      /program ci was called/,
    ])
      expect(texts.filter((text) => pattern.test(text))).toHaveLength(1);
    expect(texts).toHaveLength(7); // the file stands in a message of its own, and the job's is its own words
    expect(receiver.taken().map(({ message }) => message.text)).toEqual([expect.stringMatching(/^A test by cli:/)]);
    expect(await left()).toEqual(before);
  },
);

it('a round trip of doctor says what failed while no service runs, and withdraws its test incident', async () => {
  await stack.stop();
  const before = await left();
  const output = { out: (text: string) => void (said += text), error: (text: string) => void (said += text) };
  let said = '';
  const impatient = {
    usage: ['impatient'],
    summary: 'The same with short deadlines.',
    load: async () => async (context: Parameters<typeof tryRoundTrip>[0]) => {
      const findings = await tryRoundTrip(context, 0.05);
      return { ok: false, data: findings, lines: findings.map(({ what, state, say }) => `${what} ${state} ${say}`) };
    },
  };
  await runCommandLine(['impatient', '--as', '1002'], output, environment(), [impatient]);
  expect(said.trim().split('\n')).toEqual([
    'round trip: reply fail it was not delivered in time',
    'round trip: incident fail the incident was told to nobody in time',
    'round trip: job fail the job was not run, or its end not told in time',
    'round trip: file fail it was not delivered in time',
    'round trip: audit seal fail the event was not sealed in time',
    'round trip: webhook fail it was not delivered in time',
  ]);
  expect(await left()).toEqual(before);
  const heard = (await ben.heard()).length;
  await stack.start();
  await ben.ask('hello again');
  expect((await ben.heard()).slice(heard).filter(({ text }) => text.includes('🔧'))).toEqual([]);
});
