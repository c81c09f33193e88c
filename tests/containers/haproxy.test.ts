import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HaproxyTraffic } from '@signalbox/jobs/traffic/haproxy-traffic';
import type { Route } from '@signalbox/contracts/operations/traffic';
import { describe, expect, it } from 'vitest';
import { itSwitchesTraffic } from '../support/traffic-contract.ts';
import { startHaproxy } from './haproxy-process.ts';
import { reportNotRun } from './not-run.ts';
import { runProgram } from './program.ts';

const isInstalled = (await runProgram('haproxy', ['-v'])).code === 0;
if (!isInstalled)
  reportNotRun('traffic through HAProxy', 'haproxy is not installed: see tests/containers/install-tools');

describe.skipIf(!isInstalled)('traffic through HAProxy', () => {
  itSwitchesTraffic(async () => {
    const haproxy = await startHaproxy();
    const traffic = new HaproxyTraffic({ socket: haproxy.socket, stateDir: join(haproxy.folder, 'state') });
    return { traffic, ...haproxy };
  });

  const never = new AbortController().signal;
  const route: Route = {
    service: 'shop/staging',
    listen: { host: '127.0.0.1', port: 1 },
    upstream: { host: '127.0.0.1', port: 2 },
    release: '1.0.0',
    deploymentId: 'act_1',
    fence: 1,
  };

  it('does not report a release as live after a restarted HAProxy has lost it', async () => {
    const haproxy = await startHaproxy();
    try {
      const traffic = new HaproxyTraffic({ socket: haproxy.socket, stateDir: join(haproxy.folder, 'state') });
      expect(await traffic.switchTo(route, never)).toMatchObject({ release: '1.0.0' });
      await haproxy.restart();
      expect(await traffic.current(route.service, never)).toMatchObject({ release: 'unknown' });
      expect(await traffic.switchTo(route, never)).toMatchObject({ release: '1.0.0' });
    } finally {
      await haproxy.close();
    }
  });

  it('reports a missing backend, and a HAProxy that does not answer', async () => {
    const haproxy = await startHaproxy();
    const stateDir = join(haproxy.folder, 'state');
    try {
      const traffic = new HaproxyTraffic({ socket: haproxy.socket, stateDir });
      await expect(traffic.switchTo({ ...route, service: 'blog/staging' }, never)).rejects.toThrow(
        'no backend blog_staging with the servers a and b',
      );
    } finally {
      await haproxy.close();
    }
    const away = new HaproxyTraffic({ socket: '/nowhere/admin.sock', stateDir: makeAway() });
    await expect(away.switchTo(route, never)).rejects.toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' });
  });
});

function makeAway(): string {
  return mkdtempSync(join(tmpdir(), 'sb-haproxy-'));
}
