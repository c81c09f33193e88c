import { ServiceFile } from '@signalbox/contracts/operations/deploy';
import { changesOf } from '@signalbox/safety/cards/resolved';
import { expect, it } from 'vitest';
import { planOf, requireSamePlan, type Planned } from './plan.ts';

const PLANNED: Planned = {
  repository: 'https://bot:hunter2hunter2@example.com/team/shop.git',
  ref: 'main',
  target: {
    server: 'vps-1',
    serverHost: '10.0.0.5',
    driver: 'ssh',
    connection: { user: 'deploy', key: { handle: 'secret:vps-key', owner: '1' } },
    hostKey: 'SHA256:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU',
  },
  commit: '8b8c91a57412c7a825866d5f4f8ba2abb721d4c7',
  file: ServiceFile.parse({ start: ['node', 'server.js'], build: [['npm', 'ci']] }),
  dockerfile: 'a'.repeat(64),
  artifact: null,
  variables: [
    { name: 'DB_PASSWORD', mark: 'v3f2a9c1b7d00112' },
    { name: 'API_TOKEN', mark: 'v9f2a9c1b7d00112' },
  ],
};
const { target, variables } = PLANNED;

it.each<readonly [string, Partial<Planned>]>([
  ['the host of the server', { target: { ...target, serverHost: '10.0.0.6' } }],
  ['the host key', { target: { ...target, hostKey: 'SHA256:57DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU' } }],
  ['the login', { target: { ...target, connection: { user: 'root' } } }],
  ['the host of the repository', { repository: 'https://bot:hunter2hunter2@example.net/team/shop.git' }],
  ['the commit', { commit: '9b8c91a57412c7a825866d5f4f8ba2abb721d4c7' }],
  ['a command of the build', { file: { ...PLANNED.file, build: [['npm', 'ci', '--foreground-scripts']] } }],
  ['what is on no card of its own', { file: { ...PLANNED.file, drainSeconds: 11 } }],
  ['the Dockerfile', { dockerfile: 'b'.repeat(64) }],
  [
    'a variable whose name sounds secret',
    { variables: [{ name: 'DB_PASSWORD', mark: 'v4f2a9c1b7d00112' }, ...variables.slice(1)] },
  ],
  ['a variable more', { variables: [...variables, { name: 'LD_PRELOAD', mark: 'v1' }] }],
  ['a variable less', { variables: variables.slice(1) }],
])('another plan is noticed by %s', (_what, change) => {
  expect(() => requireSamePlan(planOf(PLANNED), planOf({ ...PLANNED, ...change }))).toThrow(/ was .* and is /);
});

it('a plan holds no password of an address, and is the same when it was stored', () => {
  const plan = planOf(PLANNED);
  expect(JSON.stringify(plan)).not.toContain('hunter2');
  expect(changesOf(JSON.parse(JSON.stringify(plan)) as typeof plan, planOf(PLANNED))).toEqual([]);
});

it('what has changed is named, also one of many variables', () => {
  const changed = planOf({ ...PLANNED, variables: [...variables, { name: 'LD_PRELOAD', mark: 'v1' }] });
  expect(changesOf(planOf(PLANNED), changed)).toEqual(['variables.LD_PRELOAD was not there and is `{"mark":"v1"}`']);
});
