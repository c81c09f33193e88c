import { generateKeyPairSync } from 'node:crypto';
import { openDriver } from '@signalbox/jobs/drivers/open-driver';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  APP,
  appFile,
  commandLinesWith,
  describeDriver,
  needle,
  newRelease,
  processesWith,
  soon,
} from '../contracts/drivers.ts';
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

  describe('a server behind ssh', () => {
    it('whose host key nobody has approved is not logged in to, and its fingerprint is told', async () => {
      await expect(open({ hostKey: null })).rejects.toMatchObject({
        code: 'HOST_KEY_UNKNOWN',
        data: { server: 'vps-1', fingerprint: sshd.hostKey },
      });
    });

    it('whose host key is another than the approved one is not logged in to', async () => {
      await expect(open({ hostKey: STRANGE })).rejects.toMatchObject({
        code: 'HOST_KEY_CHANGED',
        data: { fingerprint: sshd.hostKey, trusted: STRANGE },
      });
    });

    it('which refuses the login, or the key, or does not listen, says which of them', async () => {
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

    it('without an engine is told as one that does not answer', async () => {
      const driver = await open({ connection: { ...server.connection, socket: '/nonexistent/docker.sock' } });
      await expect(driver.inspect(soon())).rejects.toMatchObject({
        code: 'TARGET_UNREACHABLE',
        data: { detail: expect.stringContaining('/nonexistent/docker.sock') as string },
      });
      await driver.close();
    });

    it('whose link drops under a command leaves the outcome unknown', async () => {
      const [driver, word] = [await open(), needle()];
      const running = driver.execute(['sleep', word], { signal: soon(), maxBytes: 100 });
      const outcome = running.catch((error: unknown) => error);
      await until(() => commandLinesWith(`sleep ${word}`).length > 0);
      await sshd.cut();
      expect(await outcome).toMatchObject({ code: 'TARGET_LOST' });
      await driver.close();
      // It runs on: nobody is there to end it, and that is why the outcome is not known.
      const left = processesWith(`sleep ${word}`);
      expect(left.size).toBeGreaterThan(0);
      for (const pid of left.keys()) process.kill(pid, 'SIGKILL');
    });

    it('whose link drops under a build leaves the outcome unknown, and its steps can be ended', async () => {
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
