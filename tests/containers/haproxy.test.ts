import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHaproxyTraffic } from '@signalbox/jobs/traffic/haproxy-traffic';
import type { Route } from '@signalbox/shared/contracts/traffic';
import { describe, expect, it } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { itSwitchesTraffic } from '../support/traffic-contract.ts';
import { until } from '../support/until.ts';
import { reportNotRun } from './not-run.ts';
import { runProgram } from './program.ts';

const isInstalled = (await runProgram('haproxy', ['-v'])).code === 0;
if (!isInstalled)
  reportNotRun('traffic through HAProxy', 'haproxy is not installed: see tests/containers/install-tools');

/** The configuration of docs/operations.md, for one service. */
const settings = (socket: string, port: number): string => `
global
  stats socket ${socket} mode 600 level admin
defaults
  mode http
  timeout connect 3s
  timeout client 2m
  timeout server 2m
frontend shop_staging
  bind 127.0.0.1:${port}
  default_backend shop_staging
backend shop_staging
  option http-server-close
  option forwardfor
  server a 127.0.0.1:1 disabled
  server b 127.0.0.1:1 disabled
`;

interface Haproxy {
  readonly folder: string;
  readonly socket: string;
  readonly listen: Route['listen'];
  restart(): Promise<void>;
  close(): Promise<void>;
}

async function startHaproxy(): Promise<Haproxy> {
  const folder = mkdtempSync(join(tmpdir(), 'sb-haproxy-'));
  const socket = join(folder, 'admin.sock');
  const port = await freePort();
  const file = join(folder, 'haproxy.cfg');
  writeFileSync(file, settings(socket, port));
  const start = async (): Promise<() => Promise<void>> => {
    const child = spawn('haproxy', ['-db', '-f', file], { stdio: 'ignore' });
    const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    await until(async () => {
      if (child.exitCode !== null) throw new Error(`haproxy ended with ${child.exitCode}`);
      const { code } = await runProgram('haproxy', ['-c', '-f', file]); // its configuration is right
      return (
        code === 0 &&
        (await fetch(`http://127.0.0.1:${port}/`).then(
          () => true,
          () => false,
        ))
      );
    });
    return async () => {
      child.kill('SIGKILL');
      await gone;
    };
  };
  let stop = await start();
  return {
    folder,
    socket,
    listen: { host: '127.0.0.1', port },
    restart: async () => {
      await stop();
      stop = await start();
    },
    close: async () => {
      await stop();
      rmSync(folder, { recursive: true });
    },
  };
}

describe.skipIf(!isInstalled)('traffic through HAProxy', () => {
  itSwitchesTraffic(async () => {
    const haproxy = await startHaproxy();
    const traffic = createHaproxyTraffic({ socket: haproxy.socket, stateDir: join(haproxy.folder, 'state') });
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

  it('does not claim a release that a HAProxy which was started anew has forgotten', async () => {
    const haproxy = await startHaproxy();
    try {
      const traffic = createHaproxyTraffic({ socket: haproxy.socket, stateDir: join(haproxy.folder, 'state') });
      expect(await traffic.switchTo(route, never)).toMatchObject({ release: '1.0.0' });
      await haproxy.restart();
      expect(await traffic.current(route.service, never)).toMatchObject({ release: 'unknown' });
      expect(await traffic.switchTo(route, never)).toMatchObject({ release: '1.0.0' });
    } finally {
      await haproxy.close();
    }
  });

  it('says what is missing in its configuration, and when it does not answer', async () => {
    const haproxy = await startHaproxy();
    const stateDir = join(haproxy.folder, 'state');
    try {
      const traffic = createHaproxyTraffic({ socket: haproxy.socket, stateDir });
      await expect(traffic.switchTo({ ...route, service: 'blog/staging' }, never)).rejects.toThrow(
        'no backend blog_staging with the servers a and b',
      );
    } finally {
      await haproxy.close();
    }
    const away = createHaproxyTraffic({ socket: '/nowhere/admin.sock', stateDir: makeAway() });
    await expect(away.switchTo(route, never)).rejects.toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' });
  });
});

function makeAway(): string {
  return mkdtempSync(join(tmpdir(), 'sb-haproxy-'));
}
