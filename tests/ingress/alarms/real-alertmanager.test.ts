import { spawn, type ChildProcess } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { endWithParent } from '@signalbox/local/parent-death';
import { fetchProgram } from '@signalbox/local/setup/debian-packages';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestConfinement } from '../../support/bubblewrap.ts';
import { loadTestConfig } from '../../support/config.ts';
import { freePort } from '../../support/free-port.ts';
import type { Person } from '../../support/person.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';
import { until } from '../../support/until.ts';
import { openAlarmStack, TOKEN, type AlarmStack } from './alarm-stack.ts';

// Alertmanager itself, from Debian, sends to the whole product.

let alarms: AlarmStack;
let admin: Person;
let manager: ChildProcess;
let address = '';
beforeAll(async () => {
  const spec = {
    title: 'Alertmanager',
    packages: ['prometheus-alertmanager'],
    file: 'usr/bin/prometheus-alertmanager',
  };
  const binDir = join(loadTestConfig().dataDir, 'alertmanager-bin');
  const fetched = await fetchProgram(spec, binDir, console.log);
  if (!('program' in fetched)) throw new Error(`alarms cannot be tried without Alertmanager: ${fetched.problem}`);
  alarms = await openAlarmStack();
  admin = await alarms.stack.person(1001, 'admin');
  await admin.ask('hello');
  const folder = makeTemporaryFolder('alertmanager');
  const port = await freePort();
  address = `http://127.0.0.1:${port}`;
  writeFileSync(
    join(folder, 'alertmanager.yml'),
    `route: { receiver: signalbox, group_by: [alertname], group_wait: 0s, group_interval: 1s, repeat_interval: 1s }
receivers:
  - name: signalbox
    webhook_configs:
      - url: ${alarms.url}/hooks/alertmanager
        http_config: { authorization: { type: Bearer, credentials: ${TOKEN} } }
`,
  );
  const { settings } = await openTestConfinement();
  const templates = '/usr/share/prometheus';
  const { file, args } = endWithParent('TERM', {
    file: settings['BWRAP_PATH'] ?? 'bwrap',
    args: [
      // Debian's Alertmanager reads its templates from this path only.
      '--dev-bind',
      '/',
      '/',
      '--tmpfs',
      '/usr/share',
      '--ro-bind',
      join(binDir, templates),
      templates,
      '--die-with-parent',
      fetched.program.file,
      `--config.file=${join(folder, 'alertmanager.yml')}`,
      `--storage.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--cluster.listen-address=',
    ],
  });
  const env = { PATH: loadTestConfig().path, LD_LIBRARY_PATH: settings['BWRAP_LIBRARY_PATH'] ?? '' };
  manager = spawn(file, [...args], { stdio: 'ignore', cwd: folder, env });
  await until(() =>
    fetch(`${address}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
}, 240_000);
afterAll(async () => {
  manager.kill('SIGTERM');
  await alarms.stack.close();
});

const raise = (endsAt?: string): Promise<Response> =>
  fetch(`${address}/api/v2/alerts`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify([
      {
        labels: { alertname: 'RealDisk', severity: 'critical', instance: 'db-1' },
        annotations: { summary: 'The disk of db-1 is full' },
        startsAt: new Date(Date.now() - 60_000).toISOString(),
        ...(endsAt === undefined ? {} : { endsAt }),
      },
    ]),
  });

test('an alert that Alertmanager repeats and resolves is told once, and its end once', async () => {
  expect((await raise()).status).toBe(200);
  expect(await admin.waitFor(/RealDisk: The disk of db-1 is full/)).toContain('Critical alarm');
  await until(async () => {
    // The same body within a minute is one that Alertmanager sent again, so the clock is moved.
    await alarms.stack.pool.query(`update incidents set heard_at = heard_at - interval '2 minutes'`);
    const { rows } = await alarms.stack.pool.query(`select from incidents where kind = 'alarm' and repeats >= 2`);
    return rows.length === 1;
  }, 30_000);
  await raise(new Date().toISOString());
  expect(await admin.waitFor(/is over after/)).toContain('repeated');
  const told = (await admin.heard()).filter(({ text }) => text.includes('RealDisk'));
  expect(told.map(({ text }) => text.includes('is over after'))).toEqual([false, true]);
}, 60_000);
