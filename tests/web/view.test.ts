import { ARTIFACT } from '../contracts/channels/bench.ts';
import { PAGE_COMPONENTS } from '@signalbox/contracts/conversation/components';
import { expect, test } from 'vitest';
import { until } from '../support/until.ts';
import { bench, CHAT, tellGateways, useBench } from './bench.ts';
import type { TestPage } from './page.ts';

useBench();

const WIDE = [
  'These run:',
  '',
  '| project | environment | version | since |',
  '|---|---|---|---|',
  '| shop | production | 1.4.2 | **yesterday** |',
  '| blog | staging | 0.9 | today |',
  '',
  'Two of them.',
].join('\n');
const NARROW = '| a | b |\n|---|---|\n| 1 | 2 |';

const open = async (options: Partial<ConstructorParameters<typeof TestPage>[0]> = {}): Promise<TestPage> => {
  const { url } = await bench.start();
  return bench.open({ url, cookie: await bench.signIn(url), ...options });
};

test('a wide table becomes cards on a phone, and a table again on a wide page', async () => {
  const page = await open();
  await bench.harness.say(CHAT, [{ text: WIDE }, { text: NARROW }]);
  const { id } = await until(() => page.find('These run') && page.find('| a |') && page.find('These run'));
  const before = page.seq;
  page.send('client.mode.update', { mode: 'text', device: 'mobile' });
  const shown = await until(() => {
    const component = page.components.get(id);
    return (component?.children.length ?? 0) > 0 && component;
  });
  expect(shown.props['text']).toBe('These run:');
  const fields = (...values: string[]) =>
    ['environment', 'version', 'since'].map((label, n) => ({ label, value: values[n] }));
  expect(shown.children).toEqual([
    {
      type: 'DataCard',
      props: {
        title: 'shop',
        text: '',
        fields: fields('production', '1.4.2', 'yesterday'),
        buttons: [],
        pressed: null,
      },
    },
    {
      type: 'DataCard',
      props: { title: 'blog', text: '', fields: fields('staging', '0.9', 'today'), buttons: [], pressed: null },
    },
    { type: 'Text', props: { text: 'Two of them.' } },
  ]);
  for (const { type, props } of shown.children)
    expect(PAGE_COMPONENTS[type as 'Text'].safeParse(props).success).toBe(true);
  // Only what looks different comes again, under the number that the page knows.
  const again = page.of('server.a2ui.patch').at(-1)?.payload;
  expect([again?.steps.length, again?.seq]).toEqual([1, before]);
  page.send('client.mode.update', { mode: 'text', device: 'desktop' });
  await until(() => page.components.get(id)?.children.length === 0);
  expect(page.components.get(id)?.props['text']).toBe(WIDE);
});

test('a page that reports a phone when it opens gets tables as cards', async () => {
  const page = await open({ device: 'mobile' });
  await bench.harness.say(CHAT, [{ text: WIDE }]);
  const shown = await until(() => page.find('These run'));
  expect(shown.children.map(({ type }) => type)).toEqual(['DataCard', 'DataCard', 'Text']);
});

test('a page in voice mode reads new messages aloud as plain words, until the mode ends', async () => {
  const page = await open();
  await bench.harness.say(CHAT, [{ text: 'Before.' }]);
  await until(() => page.find('Before.'));
  page.send('client.mode.update', { mode: 'voice', device: 'desktop' });
  await until(() => page.of('server.voice.start').length === 1);
  await bench.harness.say(CHAT, [
    { text: '# Done\n\nThe shop **runs** at [its place](https://shop.example).\n\n```\ncode\n```' },
  ]);
  const [said] = await until(() => page.of('server.voice.say').length > 0 && page.of('server.voice.say'));
  expect(said?.payload).toEqual({ text: 'Done\nThe shop runs at its place.', language: null });
  expect(page.of('server.transcript.final')).toHaveLength(1);
  page.send('client.mode.update', { mode: 'text', device: 'desktop' });
  await until(() => page.of('server.voice.stop').length === 1);
  await bench.harness.say(CHAT, [{ text: 'After.' }]);
  await until(() => page.find('After.'));
  expect(page.of('server.voice.say')).toHaveLength(1);
});

test('voice mode affects one page only, and other pages of the same person stay silent', async () => {
  const { url } = await bench.start();
  const cookie = await bench.signIn(url);
  const [aloud, silent] = [await bench.open({ url, cookie, mode: 'voice' }), await bench.open({ url, cookie })];
  await until(() => aloud.frames.length > 0 && silent.frames.length > 0);
  await bench.harness.say(CHAT, [{ text: 'Done.' }]);
  await until(() => aloud.of('server.voice.say').length === 1 && silent.find('Done.'));
  expect(silent.frames.map(({ type }) => type)).toEqual(silent.frames.map(() => 'server.a2ui.patch'));
});

test('a page in voice mode reads missed messages aloud once after a reconnect, and no earlier ones', async () => {
  const { url } = await bench.start();
  const cookie = await bench.signIn(url);
  const page = await bench.open({ url, cookie, mode: 'voice' });
  await until(() => page.frames.length > 0);
  await bench.harness.say(CHAT, [{ text: 'Heard.' }]);
  await until(() => page.of('server.voice.say').length === 1);
  page.socket.terminate();
  await bench.harness.say(CHAT, [{ text: 'Missed.' }]);
  const back = await bench.open({ url, cookie, mode: 'voice', after: page.seq });
  await until(() => back.of('server.voice.say').length > 0);
  expect(back.of('server.voice.say').map(({ payload }) => payload.text)).toEqual(['Missed.']);
});

test('a page shows that the agent is working until the answer arrives', async () => {
  const page = await open();
  await until(() => page.frames.length > 0);
  await tellGateways({ from: 'other', news: { kind: 'thinking', chatKey: CHAT } });
  await until(() => page.of('server.agent.thinking').length === 1);
  await bench.harness.say(CHAT, [{ text: 'Done.' }]);
  await until(() => page.of('server.agent.thinking').length === 2);
  expect(page.of('server.agent.thinking').map(({ payload }) => payload.active)).toEqual([true, false]);
});

test('every component has the properties of its type for any content of a message', async () => {
  const page = await open();
  const bodies = [
    { text: 'plain', buttons: [] },
    { text: 'files', buttons: [], files: [{ artifactId: ARTIFACT.artifactId, name: 'a.csv' }], language: 'de' },
    { text: 'receipts', buttons: [], receipts: [{ what: 'deployed', note: '' }] },
    { text: 'underway', buttons: [{ label: 'Stop', value: 'stop', ends: 'run_1' }], progress: 'underway' },
    { text: 'over', buttons: [], progress: 'over' },
    { text: 'card', buttons: [{ label: 'Approve', value: 'a', act: { approvalId: 'apv_1', verb: 'approve' } }] },
  ];
  for (const [n, body] of bodies.entries())
    await bench.harness.rows(
      `insert into outbox (key, chat_key, trace_id, priority, body) values ($1, $2, 't', 5, $3)`,
      [`k${n}`, CHAT, body],
    );
  await bench.harness.say(CHAT, [{ text: 'last' }]);
  await until(() => page.components.size === bodies.length + 1);
  const types = page.shown.map(({ type }) => type);
  expect(types).toEqual(['Message', 'Message', 'Message', 'Progress', 'Progress', 'Approval', 'Message']);
  for (const { type, props } of page.shown) {
    const parsed = PAGE_COMPONENTS[type as keyof typeof PAGE_COMPONENTS].safeParse(props);
    expect([type, parsed.error?.message]).toEqual([type, undefined]);
  }
  expect(page.find('over')?.props['isDone']).toBe(true);
  expect(page.find('card')?.version).toMatch(/^\d+$/);
});
