import type {
  BuildArtifact,
  Driver,
  ProgramInstance,
  InstanceRequest,
  ReleaseId,
} from '@signalbox/jobs/drivers/driver';
import { executePipeline } from '@signalbox/jobs/machine/pipeline';
import type { DriverDeps } from '@signalbox/jobs/drivers/driver-deps';
import type { LogLine } from '@signalbox/contracts/operations/deploy';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openTestDriver, type TestServer } from '../support/example-drivers.ts';
import { freePort } from '../support/free-port.ts';
import { eventually, until } from '../support/until.ts';
import { APP, soon, appFile, newRelease, needle, commandLinesWith, dieDoing, STEP_MS } from './driver-releases.ts';

/** A target on this machine, and how a driver gets to it. */
export interface DriverTarget {
  readonly server: TestServer;
  readonly parts: Omit<DriverDeps, 'openSecret'>;
  /** The key of the login, for a target that takes one. */
  readonly secret: string;
  /** Everything on the target in which a value could have been left: files, labels, the history of images. */
  traces(): Promise<string>;
  close(): Promise<void>;
}

/** What every driver promises, on a real target. */
export function describeDriver(name: string, openTarget: () => Promise<DriverTarget>): void {
  let target: DriverTarget;
  let driver: Driver;
  let artifact: BuildArtifact;
  let built: ReleaseId;
  const started: ProgramInstance[] = [];
  const lines: LogLine[] = [];

  const open = () => openTestDriver(target.server, { ...target.parts, openSecret: async () => target.secret });
  const build = (id: ReleaseId, how: readonly string[], signal = soon(), onLine?: (line: string) => void) =>
    driver.build({
      id,
      sourceDir: APP,
      file: appFile(how),
      signal,
      onLine: (line) => {
        lines.push(line);
        onLine?.(line.line);
      },
    });
  const request = async (id: ReleaseId, variables: Record<string, string> = {}): Promise<InstanceRequest> => ({
    id,
    artifact,
    file: appFile(),
    variables,
    port: await freePort(),
  });
  const start = async (id: ReleaseId, variables: Record<string, string> = {}): Promise<ProgramInstance> => {
    const instance = await driver.start(await request(id, variables), soon());
    started.push(instance);
    return instance;
  };
  const ask = (instance: ProgramInstance, path = '/') =>
    fetch(`http://${instance.host}:${instance.port}${path}`, { signal: AbortSignal.timeout(2_000) });
  const serves = (instance: ProgramInstance, release: string) =>
    until(async () => (await ask(instance).catch(() => null))?.headers.get('x-release') === release, STEP_MS);
  const state = (instance: ProgramInstance) => driver.state(instance, soon());
  const readLog = async (instance: ProgramInstance, tail = 200, since?: Date): Promise<readonly string[]> => {
    const read: string[] = [];
    const query = { tail, signal: soon(), ...(since ? { since } : {}) };
    for await (const { line } of driver.logs(instance, query)) read.push(line);
    return read;
  };

  describe(`a ${name} target`, { timeout: 120_000 }, () => {
    beforeAll(async () => {
      target = await openTarget();
      driver = await open();
      built = newRelease();
      artifact = await build(built, ['ok']);
    });
    afterEach(async () => {
      lines.length = 0;
      for (const instance of started.splice(0)) await driver.stop(instance, 0, soon());
    });
    afterAll(async () => {
      await driver?.close();
      await target?.close();
    });

    it('the driver measures processors, memory, disk and engine version of its server', async () => {
      const inventory = await driver.inspect(soon());
      expect(inventory.cpus).toBeGreaterThan(0);
      expect(inventory.memoryFreeMb).toBeLessThan(inventory.memoryMb);
      expect(inventory.diskFreeMb).toBeLessThan(inventory.diskMb);
      expect(inventory.engine).toMatch(/\d/);
    });

    it('a built artifact is kept for the next process, and is not built again', async () => {
      const another = await open();
      expect(await another.has(artifact, soon())).toBe(true);
      expect(JSON.parse(JSON.stringify(artifact))).toEqual(artifact);
      expect(await build(built, ['ok'])).toEqual(artifact);
      expect(lines).toEqual([]);
      await another.close();
    });

    it('a failed build reports its last lines, and then the command and its exit code', async () => {
      await expect(build(newRelease(), ['fail'])).rejects.toMatchObject({
        code: 'BUILD_FAILED',
        message: expect.stringMatching(/node build\.mjs fail.*7/) as string,
      });
      expect(lines.map(({ line }) => line)).toEqual(
        expect.arrayContaining(['building fail', 'there is a mistake in line 3']),
      );
    });

    it('an aborted build leaves no process, not even a detached one', async () => {
      const [abort, word] = [new AbortController(), needle()];
      let alive = 0;
      const building = build(newRelease(), ['hang', word], abort.signal, (line) => {
        if (line !== 'hanging') return;
        alive = commandLinesWith(`sleep ${word}`).length;
        abort.abort(new Error('cancelled'));
      });
      await expect(building).rejects.toThrow('cancelled');
      expect(alive).toBeGreaterThan(0);
      expect(commandLinesWith(word)).toEqual([]);
    });

    it('a build whose job service was killed is ended by the next job service', async () => {
      const [id, word] = [newRelease(), needle()];
      const step = {
        name: 'build',
        request: { id, sourceDir: APP, file: appFile(['hang', word]) },
        until: 'hanging',
      } as const;
      await dieDoing({ server: target.server, parts: target.parts, secret: target.secret, step });
      await driver.endBuild(id, soon());
      expect(commandLinesWith(word)).toEqual([]);
      expect(await build(id, ['ok'])).toMatchObject({ kind: artifact.kind });
    });

    it('the driver starts a release once, however often start is called', async () => {
      const wanted = await request(built);
      const instance = await driver.start(wanted, soon());
      started.push(instance);
      await serves(instance, built.release);
      expect(await state(instance)).toMatchObject({
        kind: 'running',
        restarts: 0,
        memoryMb: expect.any(Number) as number,
      });
      expect(await driver.start(wanted, soon())).toEqual(instance);
      const ours = (await driver.find(built, soon())).filter(({ state: now }) => now.kind === 'running');
      expect(ours).toMatchObject([{ id: built, instance }]);
    });

    it('a crashed program is started again, and the restart is counted', async () => {
      const id = newRelease();
      const instance = await start(id);
      await serves(instance, id.release);
      await ask(instance, '/crash').catch(() => undefined);
      await eventually(
        () => state(instance),
        (now) => now.kind === 'running' && now.restarts === 1,
        STEP_MS,
      );
      await serves(instance, id.release);
      expect(await readLog(instance)).toContain('boom');
    });

    it('a program that crashes again and again is no longer restarted, and its exit code is known', async () => {
      const instance = await start(newRelease(), { AT_START: 'crash' });
      const end = await eventually(
        () => state(instance),
        (now) => now.kind === 'exited',
        STEP_MS,
      );
      expect(end).toMatchObject({ code: 9, oom: false, at: expect.stringMatching(/^20\d\d-/) as string });
      expect((await readLog(instance)).filter((line) => line === 'cannot read the settings')).toHaveLength(2);
    });

    it('a program that takes more memory than its limit is ended, and the reason is reported', async () => {
      const instance = await start(newRelease(), { AT_START: 'hoard' });
      expect(
        await eventually(
          () => state(instance),
          (now) => now.kind === 'exited',
          STEP_MS,
        ),
      ).toMatchObject({
        code: 137,
        oom: true,
      });
    });

    it('a stopped program gets the time to end by itself, and its log is kept', async () => {
      const id = newRelease();
      const instance = await start(id);
      await serves(instance, id.release);
      expect(await driver.stop(instance, 10_000, soon())).toBe('graceful');
      expect(await state(instance)).toMatchObject({ kind: 'exited', code: 0 });
      expect(await readLog(instance)).toEqual([`listening, release ${id.release}`, 'asked to end']);
      expect(await driver.stop(instance, 10_000, soon())).toBe('gone');
    });

    it('a program that does not end when it is stopped is killed with its background processes', async () => {
      const [id, word] = [newRelease(), needle()];
      const instance = await start(id, { STUBBORN: 'yes', LEAVE: word });
      await serves(instance, id.release);
      await ask(instance, '/leave');
      expect(commandLinesWith(`sleep ${word}`)).toHaveLength(1);
      expect(await driver.stop(instance, 1_000, soon())).toBe('killed');
      expect(await state(instance)).toMatchObject({ kind: 'exited', code: 137, oom: false });
      expect(commandLinesWith(`sleep ${word}`)).toEqual([]);
      await expect(ask(instance)).rejects.toThrow();
    });

    it('a program that was never started is reported as gone', async () => {
      const instance: ProgramInstance = {
        ...(await start(newRelease())),
        ref: `${artifact.ref.split('/')[0]}/staging/act_none`,
      };
      expect(await state(instance)).toEqual({ kind: 'gone' });
      expect(await driver.stop(instance, 100, soon())).toBe('gone');
    });

    it('the log can be read from its newest lines, from a given time, and while new lines come', async () => {
      const id = newRelease();
      const instance = await start(id);
      await serves(instance, id.release);
      await ask(instance, '/chatter');
      await eventually(
        () => readLog(instance, 3),
        (read) => read.at(-1) === 'line 50',
      );
      expect(await readLog(instance, 3)).toEqual(['line 48', 'line 49', 'line 50']);
      expect(await readLog(instance)).toHaveLength(51);
      const later = new Date(Date.now() + 1);
      await until(() => Date.now() > later.getTime() + 5);
      expect(await readLog(instance, 200, later)).toEqual([]);
      const abort = new AbortController();
      const followed: LogLine[] = [];
      const reading = (async () => {
        for await (const line of driver.logs(instance, { tail: 1, follow: true, signal: abort.signal }))
          followed.push(line);
      })();
      await until(() => followed.length === 1);
      await ask(instance, '/chatter');
      await until(() => followed.length === 51);
      abort.abort();
      await reading;
      expect(followed[50]).toMatchObject({ line: 'line 50', stream: 'out' });
      const times = followed.map(({ at }) => at ?? '');
      expect(times).toEqual(times.toSorted());
    });

    it('a program whose job service was killed is found and taken over by the next job service', async () => {
      const wanted = await request(newRelease());
      await dieDoing({
        server: target.server,
        parts: target.parts,
        secret: target.secret,
        step: { name: 'start', request: wanted },
      });
      const found = (await driver.find(wanted.id, soon())).find(({ id }) => id.deploymentId === wanted.id.deploymentId);
      expect(found).toMatchObject({ id: wanted.id, state: { kind: 'running', restarts: 0 } });
      const instance = await driver.start(wanted, soon());
      started.push(instance);
      expect(instance).toEqual(found?.instance);
      await serves(instance, wanted.id.release);
      expect(await driver.stop(instance, 10_000, soon())).toBe('graceful');
      expect(await state(instance)).toMatchObject({ kind: 'exited', code: 0 });
    });

    it('a removed artifact takes its ended programs with it, and an artifact of a running program stays', async () => {
      const id = newRelease({ project: 'attic' });
      const own = await build(id, ['ok']);
      const instance = await driver.start({ ...(await request(id)), artifact: own }, soon());
      started.push(instance);
      await expect(driver.discard(own, soon())).rejects.toMatchObject({ code: 'STILL_IN_USE' });
      await serves(instance, id.release);
      await driver.stop(instance, 10_000, soon());
      await driver.discard(own, soon());
      await driver.discard(own, soon());
      expect(await driver.has(own, soon())).toBe(false);
      expect(await driver.find(id, soon())).toEqual([]);
      expect(await state(instance)).toEqual({ kind: 'gone' });
      await expect(driver.start({ ...(await request(id)), artifact: own }, soon())).rejects.toMatchObject({
        code: 'ARTIFACT_GONE',
      });
    });

    it('a diagnostic program has its output cut at the limit, and is ended at the deadline', async () => {
      const script = 'echo found; echo missing >&2; exit 4';
      expect(await driver.execute(['sh', '-c', script], { signal: soon(), maxBytes: 1_000 })).toEqual({
        code: 4,
        stdout: 'found\n',
        stderr: 'missing\n',
        truncated: false,
      });
      const much = await driver.execute(['sh', '-c', 'yes | head -c 5000'], { signal: soon(), maxBytes: 100 });
      expect(much).toMatchObject({ code: 0, stdout: 'y\n'.repeat(50), truncated: true });
      const word = needle();
      const options = { signal: AbortSignal.timeout(500), maxBytes: 100 };
      await expect(driver.execute(['sh', '-c', `sleep ${word} & sleep ${word}`], options)).rejects.toThrow('timeout');
      expect(commandLinesWith(word)).toEqual([]);
    });

    it('programs that are joined by pipes end as they would in a shell', async () => {
      const join = (...pipeline: string[][]) => executePipeline(driver, pipeline, { signal: soon(), maxBytes: 1_000 });
      const counted = await join(['seq', '1', '200000'], ['sort', '-rn'], ['head', '-n', '2']);
      expect(counted).toEqual({ code: 0, stdout: '200000\n199999\n', stderr: '', truncated: false });
      // Words are words: no shell reads them, and none finds a pipe in them.
      expect(await join(['echo', '$HOME | id; `id`'], ['cat'])).toMatchObject({ stdout: '$HOME | id; `id`\n' });
      const word = needle();
      expect(await join(['yes', word], ['head', '-n', '1'])).toMatchObject({ code: 0, stdout: `${word}\n` });
      expect(commandLinesWith(word)).toEqual([]);
      expect(await join(['echo', 'x'], ['grep', 'y'])).toMatchObject({ code: 1, stdout: '' });
      // Nobody types: a program that reads and is given nothing finds the end at once.
      expect(await join(['cat'], ['wc', '-c'])).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/^\s*0\n$/) as string,
      });
      expect(await join(['cat', '/nowhere'], ['cat'])).toMatchObject({
        code: 0,
        stderr: expect.stringContaining('/nowhere') as string,
      });
      const late = executePipeline(
        driver,
        [
          ['sleep', word],
          ['sleep', word],
        ],
        { signal: AbortSignal.timeout(500), maxBytes: 100 },
      );
      await expect(late).rejects.toThrow('timeout');
      expect(commandLinesWith(word)).toEqual([]);
    });

    it('the value of a variable reaches the program, and no command line, log or trace', async () => {
      const [id, value] = [newRelease(), `tok-${needle()}${needle()}`];
      const instance = await start(id, { TOKEN: value });
      await serves(instance, id.release);
      expect(await (await ask(instance, '/token')).text()).toBe(String(value.length));
      expect(commandLinesWith(value)).toEqual([]);
      const traces = await target.traces();
      expect(traces).toContain(id.deploymentId);
      expect(traces).not.toContain(value);
      expect((await readLog(instance)).join('\n')).not.toContain(value);
    });

    it('two environments of one project are found and stopped independently of each other', async () => {
      const [one, other] = [newRelease({ project: 'tea' }), newRelease({ project: 'tea', environment: 'production' })];
      const [first, second] = [await start(one), await start(other)];
      expect((await driver.find(one, soon())).map(({ id }) => id)).toEqual([one]);
      expect((await driver.find(other, soon())).map(({ id }) => id)).toEqual([other]);
      await driver.stop(first, 10_000, soon());
      await serves(second, other.release);
      expect(await state(second)).toMatchObject({ kind: 'running', restarts: 0 });
    });
  });
}
