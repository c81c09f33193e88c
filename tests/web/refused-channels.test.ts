import { rmSync, writeFileSync } from 'node:fs';
import { ChannelRecovered } from '@signalbox/gateway/channels/refused';
import { listFaults, notifyAdmins } from '@signalbox/store/faults';
import { expect, test } from 'vitest';
import { until } from '../support/until.ts';
import { SECRET } from '../ingress/program.ts';
import { writeSources } from '../ingress/sources-file.ts';
import { bench, useBench, type WebGateway } from './bench.ts';

useBench();

const SOURCES = [{ name: 'ci', secret: SECRET, serviceAccount: { name: 'CI', role: 'developer' } }];

const readiness = async ({ gateway }: WebGateway): Promise<{ readonly status: number; readonly text: string }> => {
  const answer = await fetch(`http://127.0.0.1:${gateway.probe.port}/readyz`);
  return { status: answer.status, text: await answer.text() };
};
const faults = async (): Promise<readonly string[]> => (await listFaults(bench.harness.pool)).map(({ say }) => say);
/** Says something on a page, and waits until it is kept. */
const speak = async (gateway: WebGateway, text: string): Promise<void> => {
  const page = await bench.open({ url: gateway.url, cookie: await bench.signIn(gateway.url) });
  page.say(text);
  await until(() => page.find(text));
};

test('a token that Telegram refuses stops no other channel, is reported to admins there, and is tried again', async () => {
  for (let n = 0; n < 2; n += 1) await bench.harness.fault({ method: 'getMe', error: { code: 401 } });
  const gateway = await bench.start({ GATEWAY_CHANNELS: 'telegram,web' });
  await until(async () => (await faults()).length > 0);
  expect(await faults()).toEqual([expect.stringMatching(/^channel-refused:telegram: telegram: .*TELEGRAM_BOT_TOKEN/)]);
  expect(await readiness(gateway)).toEqual({
    status: 200,
    text: expect.stringMatching(/^ready\n.*TELEGRAM_BOT_TOKEN/),
  });
  expect(gateway.lines.filter(({ level }) => level === 'error')).toMatchObject([
    { message: 'a channel is refused, the others go on', channel: 'telegram' },
  ]);
  await speak(gateway, 'the page works');
  const { chats } = await notifyAdmins(bench.harness.pool);
  expect(chats).toContain('web:1001');
  const rows = await bench.harness.rows<{ text: string }>(
    `select body ->> 'text' as text from outbox where key like 'fault:%' and chat_key = 'web:1001'`,
  );
  expect(rows.map(({ text }) => text)).toEqual([
    expect.stringMatching(/A messaging channel refuses the connection; .*TELEGRAM_BOT_TOKEN/),
  ]);
  // Telegram knows the token again.
  await until(async () => (await readiness(gateway)).text === 'ready\n', 40_000);
  await until(async () => (await faults()).length === 0);
});

test('a missing file of ingress sources stops no other channel, and is read once it exists', async () => {
  const file = writeSources(SOURCES);
  rmSync(file);
  const settings = { GATEWAY_CHANNELS: 'ingress,web', INGRESS_SOURCES_FILE: file };
  const gateway = await bench.start(settings);
  let isMended = false;
  void gateway.gateway.mended.catch((error: unknown) => (isMended = error instanceof ChannelRecovered));
  expect(await readiness(gateway)).toEqual({
    status: 200,
    text: expect.stringMatching(/^ready\ningress: .*cannot be read/),
  });
  await speak(gateway, 'the page works');
  await until(async () => (await faults()).length > 0);
  writeFileSync(file, JSON.stringify(SOURCES));
  await until(() => isMended, 30_000);
  await gateway.close();
  const again = await bench.start(settings);
  await until(async () => (await readiness(again)).text === 'ready\n');
  await until(async () => (await faults()).length === 0);
});

test.each([
  ['an address of the page that is none', { WEB_PUBLIC_URL: 'ftp://chat.example.org' }, 'WEB_PUBLIC_URL'],
  [
    'people of a demo where others reach it',
    { WEB_DEMO_PEOPLE: 'on', GATEWAY_HTTP_HOST: '0.0.0.0' },
    'WEB_DEMO_PEOPLE',
  ],
])('%s stops no other channel', async (_, settings, name) => {
  const gateway = await bench.start({ GATEWAY_CHANNELS: 'telegram,web', ...settings });
  await bench.harness.meet(1001);
  const { status, text } = await readiness(gateway);
  expect([status, text.includes(`web: `), text.includes(name)]).toEqual([200, true, true]);
  await until(async () => (await faults()).some((say) => say.startsWith('channel-refused:web: ')));
});

test('a gateway none of whose channels can be opened does not start', async () => {
  await expect(bench.start({ WEB_PUBLIC_URL: 'ftp://chat.example.org' })).rejects.toThrow('WEB_PUBLIC_URL');
});
