import { openDriver } from '@signalbox/jobs/drivers/open-driver';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeDriver, soon, type DriverTarget } from '../contracts/drivers.ts';
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
