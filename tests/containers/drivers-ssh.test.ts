import { generateKeyPairSync } from 'node:crypto';
import type { ServerProbeStore, WatchedServer } from '@signalbox/jobs/machine/server-probes';
import { createLog } from '@signalbox/platform/log';
import type { Driver } from '@signalbox/jobs/drivers/driver';
import { openDriver } from '@signalbox/jobs/drivers/open-driver';
import type { JobContext } from '@signalbox/jobs/runner/handlers';
import { describeEndedCommands, probeServer } from '@signalbox/jobs/machine/probe-server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeDriver } from '../contracts/drivers.ts';
import {
  APP,
  appFile,
  commandLinesWith,
  needle,
  newRelease,
  processesWith,
  soon,
} from '../contracts/driver-releases.ts';
import { until } from '../support/until.ts';
import { prepareEngine, type DriverEngine } from './driver-engine.ts';
import { openEngine, type Engine } from './engine.ts';
import { reportNotRun } from './not-run.ts';
import { openSshServer, type SshServer } from './ssh-server.ts';

const engine = await openEngine();
const ssh = 'problem' in engine ? engine : await openSshServer();
if ('problem' in ssh) reportNotRun('the ssh driver', ssh.problem);
let prepared: DriverEngine;

beforeAll(async () => {
  if (!('problem' in engine)) prepared = await prepareEngine(engine);
});
afterAll(async () => {
  if (!('problem' in ssh)) await ssh.close();
  await prepared?.close();
  if (!('problem' in engine)) await engine.close();
});

const STRANGE = 'SHA256:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';

function serverOf(socket: string, { port, user, hostKey }: SshServer) {
  const key = { handle: 'secret:key', owner: 'simulator:1001' };
  return { name: 'vps-1', host: '127.0.0.1', driver: 'ssh', connection: { socket, port, user, key }, hostKey } as const;
}

describe.skipIf('problem' in ssh)('behind ssh', () => {
  const [{ socket }, sshd] = [engine as Engine, ssh as SshServer]; // the suite is skipped otherwise
  const server = serverOf(socket, sshd);
  const open = (over: object = {}, key = sshd.key) =>
    openDriver({ ...server, ...over }, { ...prepared.parts, openSecret: async () => key });

  describeDriver('ssh', async () => ({
    server,
    parts: prepared.parts,
    secret: sshd.key,
    traces: () => prepared.traces(),
    close: () => prepared.removeAll(),
  }));

  const ends = async (driver: Driver) => (await driver.endLost?.(soon()))?.map(({ pid }) => pid);

  describe('a server behind ssh', () => {
    it('whose host key nobody has approved is not logged in to, and its fingerprint is reported', async () => {
      await expect(open({ hostKey: null })).rejects.toMatchObject({
        code: 'HOST_KEY_UNKNOWN',
        data: { server: 'vps-1', fingerprint: sshd.hostKey },
      });
    });

    it('whose host key differs from the approved one is not logged in to', async () => {
      await expect(open({ hostKey: STRANGE })).rejects.toMatchObject({
        code: 'HOST_KEY_CHANGED',
        data: { fingerprint: sshd.hostKey, trusted: STRANGE },
      });
    });

    it('that refuses the login, refuses the key or does not listen is reported with that cause', async () => {
      const { privateKey } = generateKeyPairSync('rsa', {
        modulusLength: 2048,
        publicKeyEncoding: { type: 'spki', format: 'pem' },
        privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
      });
      const unreachable = (detail: string) => ({ code: 'TARGET_UNREACHABLE', data: { detail } });
      await expect(open({}, privateKey)).rejects.toMatchObject(unreachable('it refuses the login'));
      await expect(open({}, 'not a key')).rejects.toThrow('the private key cannot be used');
      const connection = { ...server.connection, port: 1 };
      await expect(open({ connection })).rejects.toMatchObject(unreachable('ECONNREFUSED'));
    });

    it('without a Docker engine is reported as not answering', async () => {
      const driver = await open({ connection: { ...server.connection, socket: '/nonexistent/docker.sock' } });
      await expect(driver.inspect(soon())).rejects.toMatchObject({
        code: 'TARGET_UNREACHABLE',
        data: { detail: expect.stringContaining('/nonexistent/docker.sock') as string },
      });
      await driver.close();
    });

    it('that loses its connection during a command leaves the outcome unknown', async () => {
      const [driver, word] = [await open(), needle()];
      const running = driver.execute(['sleep', word], { signal: soon(), maxBytes: 100 });
      const outcome = running.catch((error: unknown) => error);
      await until(() => commandLinesWith(`sleep ${word}`).length > 0);
      await sshd.cut();
      expect(await outcome).toMatchObject({ code: 'TARGET_LOST' });
      await driver.close();
      // It runs on: nobody is there to end it, and that is why the outcome is not known.
      const [lost] = processesWith(`sleep ${word}`).keys();
      expect(lost).toBeDefined();
      // The next one who looks ends it, with what it has started, and nothing of a link that stands.
      const [next, other, held] = [await open(), await open(), needle()];
      const stop = new AbortController();
      const goesOn = other.execute(['sleep', held], { signal: stop.signal, maxBytes: 100 }).catch(() => 'ended');
      await until(() => commandLinesWith(`sleep ${held}`).length > 0);
      expect(await ends(next)).toContain(lost);
      await until(() => commandLinesWith(`sleep ${word}`).length === 0);
      expect(commandLinesWith(`sleep ${held}`)).not.toEqual([]);
      expect(await ends(next)).toEqual([]);
      stop.abort(new Error('enough'));
      expect(await goesOn).toBe('ended');
      await next.close();
      await other.close();
    });

    it('keeps a background service that a command started running, even after the connection was lost', async () => {
      const [driver, word] = [await open(), needle()];
      const left = await driver.execute(['sh', '-c', `setsid sleep ${word} > /dev/null 2>&1 < /dev/null & exit 0`], {
        signal: soon(),
        maxBytes: 100,
      });
      expect(left.code).toBe(0);
      await sshd.cut();
      const next = await open();
      const pids = [...processesWith(`sleep ${word}`).keys()];
      expect(pids).toHaveLength(1);
      await ends(next);
      expect([...processesWith(`sleep ${word}`).keys()]).toEqual(pids);
      for (const pid of pids) process.kill(pid, 'SIGKILL');
      await next.close();
      await driver.close();
    });

    it('reports once which left-over commands its health probe stopped', async () => {
      const [driver, word] = [await open(), needle()];
      driver.execute(['sleep', word], { signal: soon(), maxBytes: 100 }).catch(() => undefined);
      await until(() => commandLinesWith(`sleep ${word}`).length > 0);
      await sshd.cut();
      await driver.close();
      const context = { signal: soon(), log: createLog('test', 'silent') } as unknown as JobContext; // what a look touches of it
      const watched = { ...server, owner: null } as unknown as WatchedServer; // the rest is what the look before has found
      const parts = { probes: null as unknown as ServerProbeStore, openDriver: () => open() }; // nothing is stored here
      const look = await probeServer(parts, watched, context);
      expect(look.kind === 'up' && describeEndedCommands(look.ended)).toMatch(
        /^I stopped a command there that kept running after the connection was lost, [\d.]+ s after its start\.$/,
      );
      expect(await probeServer(parts, watched, context)).toMatchObject({ kind: 'up', ended: [] });
      expect(commandLinesWith(`sleep ${word}`)).toEqual([]);
    });

    it('that loses its connection during a build leaves the outcome unknown, and the build can be stopped', async () => {
      const [driver, word, id] = [await open(), needle(), newRelease()];
      let said = '';
      const file = appFile(['hang', word]);
      const building = driver.build({
        id,
        sourceDir: APP,
        file,
        signal: soon(),
        onLine: ({ line }) => (said += line),
      });
      const outcome = building.catch((error: unknown) => error);
      await until(() => said.includes('hanging'), 30_000);
      await sshd.cut();
      expect(await outcome).toMatchObject({ code: 'TARGET_LOST' });
      await driver.close();
      const again = await open();
      await again.endBuild(id, soon());
      expect(commandLinesWith(`sleep ${word}`)).toEqual([]);
      await again.close();
    });
  });
});
