import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { openDriver } from '@signalbox/jobs/drivers/open-driver';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeDriver, type DriverTarget } from '../contracts/drivers.ts';
import { APP, appFile, newRelease, soon } from '../contracts/driver-releases.ts';
import { freePort } from '../support/free-port.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
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

describe.skipIf('problem' in engine)('a Docker engine on this machine', () => {
  const { socket } = engine as Engine; // the suite is skipped otherwise
  describeDriver('docker', async (): Promise<DriverTarget> => ({
    server: serverOf(socket),
    parts: prepared.parts,
    secret: '',
    traces: () => prepared.traces(),
    close: () => prepared.removeAll(),
  }));

  describe('a file that .dockerignore names', () => {
    const FILES = [
      '.env',
      'key.pem',
      'node_modules/a/index.js',
      'secrets/private',
      'secrets/public',
      'src/.env',
      'src/app.js',
    ];

    it('goes neither to the engine nor into an image, and an invalid pattern fails the build', async () => {
      const driver = await openDriver(serverOf(socket), { ...prepared.parts, openSecret: async () => '' });
      const sourceDir = makeTemporaryFolder('context');
      const put = (name: string, text: string): void => {
        mkdirSync(dirname(join(sourceDir, name)), { recursive: true });
        writeFileSync(join(sourceDir, name), text);
      };
      for (const name of FILES) put(name, name);
      put(
        '.dockerignore',
        '# what is not for an image\nnode_modules\n**/.env\n*.pem\nsecrets\n!secrets/public\nDockerfile\n',
      );
      const list = `console.log('has ' + require('fs').readdirSync('.', { recursive: true }).sort().join(' '))`;
      const [file, id] = [{ ...appFile(), build: [['node', '-e', list]] }, newRelease()];
      const lines: string[] = [];
      const build = () =>
        driver.build({ id, sourceDir, file, onLine: ({ line }) => void lines.push(line), signal: soon() });
      const artifact = await build();
      const had = lines.find((line) => line.startsWith('has '))?.split(' ') ?? [];
      expect(FILES.filter((name) => had.includes(name))).toEqual(['secrets/public', 'src/app.js']);
      expect(had).not.toContain('node_modules');
      await driver.discard(artifact, soon());
      // A repository's own Dockerfile is read, also when it is not for the image.
      put('Dockerfile', `FROM ${prepared.parts.baseImage}\nCOPY . /app\nWORKDIR /app\nRUN ["node", "-e", "${list}"]\n`);
      lines.length = 0;
      const own = await build();
      const now = lines.find((line) => line.startsWith('has '))?.split(' ') ?? [];
      expect(FILES.filter((name) => now.includes(name))).toEqual(['secrets/public', 'src/app.js']);
      expect(now).not.toContain('Dockerfile');
      await driver.discard(own, soon());
      put('.dockerignore', 'secrets[');
      await expect(build()).rejects.toMatchObject({
        code: 'BUILD_FAILED',
        message: expect.stringMatching(/\.dockerignore.*secrets\[.*cannot be read/) as string,
      });
      await driver.close();
    });
  });

  describe('a container that the engine refuses', () => {
    const open = () => openDriver(serverOf(socket), { ...prepared.parts, openSecret: async () => '' });

    it('fails with the error message of the engine, and leaves no container', async () => {
      const [driver, id] = [await open(), newRelease()];
      const file = { ...appFile(), start: ['no-such-program'] };
      const artifact = await driver.build({ id, sourceDir: APP, file, onLine: () => undefined, signal: soon() });
      const request = { id, artifact, file, variables: {}, port: await freePort() };
      await expect(driver.start(request, soon())).rejects.toMatchObject({
        code: 'CONTAINER_REFUSED',
        message: expect.stringContaining('no-such-program') as string,
      });
      expect(await driver.find(id, soon())).toEqual([]);
      await driver.discard(artifact, soon());
      await driver.close();
    });

    it('gets another port when the first port is in use', async () => {
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
    it('is reported as a server that does not answer', async () => {
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
