import { explainMessage, PriorContext } from '@signalbox/planner/explanation';
import { createRegistry, loadCapabilities } from '@signalbox/worker/tools/registry';
import { expect, it } from 'vitest';

const { catalog } = createRegistry(await loadCapabilities());

it.each([
  ['register a docker server box1 at 127.0.0.1 in staging with socket /srv/run/docker.sock', '/srv/run/docker.sock'],
  [
    'add server box1 at 127.0.0.1 in staging with driver docker and socket /run/user/1000/e.sock',
    '/run/user/1000/e.sock',
  ],
  ['register a docker server box1 in staging, socket /tmp/e/docker.sock, at 127.0.0.1', '/tmp/e/docker.sock'],
])('the socket in the request is passed on to the registration: %s', (text, socket) => {
  const { offered, calls } = explainMessage(catalog, text, PriorContext.parse({ names: { server: ['local'] } }));
  const given = [...offered.map(({ args }) => args), ...calls.map((call) => call.arguments)];
  expect(given).toContainEqual({ name: 'box1', host: '127.0.0.1', environment: 'staging', driver: 'docker', socket });
});

it('pressing the button of a long server registration registers the server with all arguments', () => {
  const text = 'register a docker server box1 at 127.0.0.1 in staging with socket /srv/engines/of/the/team/docker.sock';
  const names = { server: ['local'] };
  const label = explainMessage(catalog, text, PriorContext.parse({ names })).offered[0]?.label ?? '';
  expect(label.length).toBeGreaterThan(50);
  const before = [
    { from: 'person' as const, text },
    { from: 'signalbox' as const, text: 'Which of these do you mean?' },
  ];
  const { calls } = explainMessage(catalog, label, PriorContext.parse({ messages: before, names }));
  expect(calls).toEqual([
    { tool: 'register_server', arguments: expect.objectContaining({ socket: expect.any(String) as string }) as object },
  ]);
});
