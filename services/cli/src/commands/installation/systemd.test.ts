import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { JobPool } from '@signalbox/contracts/operations/jobs';
import { expect, test } from 'vitest';
import { buildUnits } from './systemd.ts';

const ROOT = fileURLToPath(new URL('../../../../../', import.meta.url));
const units = buildUnits({ checkout: ROOT.replace(/\/$/, ''), node: '/usr/bin/node' });
const read = (text: string, key: string): readonly string[] =>
  text.split('\n').flatMap((line) => (line.startsWith(`${key}=`) ? [line.slice(key.length + 1)] : []));

test('systemd runs every service and every pool of jobs once, after the migrations', () => {
  const services = units.filter(({ name }) => name.endsWith('.service') && !name.includes('migrate'));
  expect(services.map(({ name }) => name).toSorted()).toEqual(
    ['gateway', 'proxy', 'worker', ...JobPool.options.map((pool) => `jobs-${pool}`)]
      .map((name) => `signalbox-${name}.service`)
      .toSorted(),
  );
  for (const { text } of services) expect(read(text, 'After')).toEqual(['signalbox-migrate.service']);
  const wanted = units.find(({ name }) => name === 'signalbox.target');
  expect(read(wanted?.text ?? '', 'Wants')[0]?.split(' ')).toHaveLength(services.length + 1);
});

test('each unit starts a program of this checkout, as a user without rights and with its own variables', () => {
  for (const { name, text } of units.filter((unit) => unit.name.endsWith('.service'))) {
    const [node, program = ''] = (read(text, 'ExecStart')[0] ?? '').split(' ');
    expect(node).toBe('/usr/bin/node');
    expect([name, existsSync(program.replace('/dist/', '/src/').replace(/js$/, 'ts'))]).toEqual([name, true]);
    expect([name, read(text, 'User'), read(text, 'NoNewPrivileges')]).toEqual([name, ['signalbox'], ['yes']]);
    const own = name.slice('signalbox-'.length, -'.service'.length);
    expect(read(text, 'EnvironmentFile')).toEqual(['-/etc/signalbox/common.env', `/etc/signalbox/${own}.env`]);
    expect(text).not.toMatch(/PASSWORD|TOKEN|postgres:/);
  }
});

test('what was deployed on this machine outlives a restart of the service that deploys', () => {
  const deploy = units.find(({ name }) => name === 'signalbox-jobs-deploy.service');
  expect(read(deploy?.text ?? '', 'KillMode')).toEqual(['process']);
});
