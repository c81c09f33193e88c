import { ServiceFile } from '@signalbox/contracts/operations/deploy';
import type { Driver } from '@signalbox/jobs/drivers/driver';
import type { TargetServer } from '@signalbox/jobs/drivers/driver-deps';
import { openDriver } from '@signalbox/jobs/drivers/open-driver';
import { dirname } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newRelease, soon } from '../contracts/driver-releases.ts';
import { freePort } from '../support/free-port.ts';
import { parseAttempts, plantTargets, successes, type Attempt, type Targets } from '../support/hostile-release.ts';
import { eventually } from '../support/until.ts';
import { prepareEngine, type DriverEngine } from './driver-engine.ts';
import { openEngine } from './engine.ts';
import { reportNotRun } from './not-run.ts';
import { openSshTarget } from './ssh-target.ts';

// What is built and deployed on an engine, ours or one behind ssh, tries to reach what is ours on this machine.

const PROGRAMS = [
  '/usr/bin/perl',
  '/usr/bin/unshare',
  '/usr/bin/nsenter',
  '/usr/bin/mount',
  '/usr/bin/umount',
  '/usr/bin/mknod',
];
let targets: Targets;
beforeAll(async () => {
  targets = await plantTargets();
});
afterAll(() => targets.close());

/** Builds and runs the hostile release with a driver; what each of the two got. */
async function attack(prepared: DriverEngine, server: TargetServer, hosts: readonly string[], secret = '') {
  const driver: Driver = await openDriver(server, { ...prepared.parts, openSecret: async () => secret });
  const id = newRelease({ project: 'hostile' });
  const file = ServiceFile.parse({
    build: [['node', 'attempts.mjs', 'build', 'reach']],
    start: ['node', 'attempts.mjs', 'program', 'reach'],
    memoryMb: 300,
  });
  const built: string[] = [];
  const sourceDir = targets.makeSource({ hosts });
  const signal = AbortSignal.timeout(120_000);
  const artifact = await driver.build({ id, sourceDir, file, onLine: ({ line }) => void built.push(line), signal });
  const instance = await driver.start({ id, artifact, file, variables: {}, port: await freePort() }, soon());
  const ran = await eventually(
    async () => {
      const lines: string[] = [];
      for await (const { line } of driver.logs(instance, { tail: 1_000, signal: soon() })) lines.push(line);
      return lines;
    },
    (lines) => lines.some((line) => line.includes('"finished"')),
    60_000,
  );
  await driver.stop(instance, 0, soon());
  await driver.discard(artifact, soon());
  await driver.close();
  return { build: parseAttempts(built), program: parseAttempts(ran) };
}

function assertNothing({
  build,
  program,
}: {
  readonly build: readonly Attempt[];
  readonly program: readonly Attempt[];
}): void {
  for (const said of [build, program]) {
    expect(said.length).toBeGreaterThan(130);
    expect(said.at(-1)?.attempt).toBe('finished');
    expect(successes(said)).toEqual([]);
  }
  targets.assertUntouched();
}

describe('a hostile release', { timeout: 700_000 }, () => {
  it('gains no access to the test machine in any of more than a hundred attempts on a Docker engine', async () => {
    const engine = await openEngine();
    if ('problem' in engine) return reportNotRun('attempts to get out of containers', engine.problem);
    const { socket, gateway } = engine;
    /** This machine, as a container on the bridge of an engine of it sees it. */
    const hosts = ['127.0.0.1', gateway, '172.17.0.1'];
    const server = {
      name: 'box-1',
      host: '127.0.0.1',
      driver: 'docker',
      connection: { socket },
      hostKey: null,
    } as const;
    const prepared = await prepareEngine(engine, PROGRAMS);
    try {
      assertNothing(await attack(prepared, server, hosts));
      // The same attempts get something in a container that was given what a driver never gives.
      const given = ['--pid=host', '--network=host', '-v', `${targets.data}:${targets.data}`];
      const source = ['-v', `${targets.makeSource({ hosts })}:/app`, '-w', '/app', prepared.parts.baseImage];
      const said = await engine.docker([
        'run',
        '--rm',
        ...given,
        ...source,
        'node',
        'attempts.mjs',
        'build',
        'harmless',
      ]);
      expect(successes(parseAttempts(said.split('\n'))).length).toBeGreaterThan(targets.files.length * 3);
    } finally {
      await prepared.close();
      await engine.close();
    }
  });

  it('gains no access to the test machine from a server that is reached by ssh', async () => {
    const target = await openSshTarget([dirname(targets.data)]);
    if ('problem' in target) return reportNotRun('attempts to get back over ssh', target.problem);
    const { engine, ssh, hosts } = target;
    const key = { handle: 'secret:key', owner: 'simulator:1001' };
    const connection = { socket: engine.socket, port: ssh.port, user: ssh.user, key };
    const server = { name: 'vps-1', host: '10.213.7.2', driver: 'ssh', connection, hostKey: ssh.hostKey } as const;
    const prepared = await prepareEngine(engine, PROGRAMS);
    try {
      assertNothing(await attack(prepared, server, hosts, ssh.key));
    } finally {
      await prepared.close();
      await target.close();
    }
  });
});
