import { createServer } from 'node:net';
import { openDriver } from '@signalbox/jobs/drivers/open-driver';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { APP, appFile, describeDriver, newRelease, soon, type DriverTarget } from '../contracts/drivers.ts';
import { freePort } from '../support/free-port.ts';
import { until } from '../support/until.ts';
import { prepareEngine, type DriverEngine } from './driver-engine.ts';
import { openEngine, type Engine } from './engine.ts';
import { reportNotRun } from './not-run.ts';

const engine = await openEngine();
if ('problem' in engine) reportNotRun('the docker driver', engine.problem);
let prepared: DriverEngine;

beforeAll(async () => {
  if (!('problem' in engine)) prepared = await prepareEngine(engine);
});
afterAll(async () => {
  await prepared?.close();
  if (!('problem' in engine)) await engine.close();
});

const serverOf = (socket: string) =>
  ({ name: 'box-1', host: '127.0.0.1', driver: 'docker', connection: { socket }, hostKey: null }) as const;

describe.skipIf('problem' in engine)('an engine of this machine', () => {
  const { socket } = engine as Engine; // the suite is skipped otherwise
  describeDriver('docker', async (): Promise<DriverTarget> => ({
    server: serverOf(socket),
    parts: prepared.parts,
    secret: '',
    traces: () => prepared.traces(),
    close: () => prepared.removeAll(),
  }));

  describe('what an engine refuses', () => {
    const open = () => openDriver(serverOf(socket), { ...prepared.parts, openSecret: async () => '' });

    it('is said in its words, and leaves no container', async () => {
      const [driver, id] = [await open(), newRelease()];
      const file = { ...appFile(), start: ['no-such-program'] };
      const artifact = await driver.build({ id, sourceDir: APP, file, onLine: () => undefined, signal: soon() });
      const request = { id, artifact, file, variables: {}, port: await freePort() };
      await expect(driver.start(request, soon())).rejects.toMatchObject({
        code: 'CONFLICT',
        message: expect.stringContaining('no-such-program') as string,
      });
      expect(await driver.find(id, soon())).toEqual([]);
      await driver.discard(artifact, soon());
      await driver.close();
    });

    it('a port that somebody listens on is, and another one is taken', async () => {
      const [driver, id, stranger] = [await open(), newRelease(), createServer()];
      const port = await freePort();
      await new Promise<void>((resolve) => stranger.listen(port, '127.0.0.1', resolve));
      const artifact = await driver.build({
        id,
        sourceDir: APP,
        file: appFile(),
        onLine: () => undefined,
        signal: soon(),
      });
      const instance = await driver.start({ id, artifact, file: appFile(), variables: {}, port }, soon());
      expect(instance.port).toBeGreaterThan(0);
      expect(instance.port).not.toBe(port);
      await until(async () => (await fetch(`http://127.0.0.1:${instance.port}/`).catch(() => null))?.ok, 30_000);
      await driver.stop(instance, 1_000, soon());
      await driver.discard(artifact, soon());
      await driver.close();
      await new Promise((resolve) => stranger.close(resolve));
    });
  });

  describe('an engine that is away', () => {
    it('is told as a server that does not answer', async () => {
      const parts = { ...prepared.parts, openSecret: async () => '' };
      const driver = await openDriver(serverOf('/nonexistent/docker.sock'), parts);
      await expect(driver.inspect(soon())).rejects.toMatchObject({
        code: 'TARGET_UNREACHABLE',
        message: 'The server box-1 does not answer: ENOENT',
      });
      await driver.close();
    });
  });
});
