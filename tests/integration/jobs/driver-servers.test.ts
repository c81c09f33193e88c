import { rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { openDriver } from '@signalbox/jobs/drivers/open-driver';
import { openConfinement } from '@signalbox/jobs/sandbox/confinement';
import { createServerInspectHandler } from '@signalbox/jobs/jobs/operations';
import { createServersWatchHandler } from '@signalbox/jobs/machine/servers-watch';
import { findDeployServer } from '@signalbox/store/deploy/deployments-placement';
import { createServerProbeStore } from '@signalbox/jobs/machine/server-probes';
import { ensureLocalServer } from '@signalbox/store/deploy/servers';
import type { Pool } from '@signalbox/store/pool';
import { createLog } from '@signalbox/platform/log';
import type { ToolContext } from '@signalbox/worker/tools/tool';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadTestConfig } from '../../support/config.ts';
import { newSshKey, openSshLogin, type SshLogin } from '../../support/ssh-login.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';
import { openCapabilityBench, type CapabilityBench } from '../capabilities/bench.ts';

const folder = makeTemporaryFolder('servers');
const socket = join(folder, 'engine.sock');
const key = newSshKey();
const opened: string[] = [];
const context = {
  runId: 'act_look',
  attempt: 1,
  owner: null,
  signal: AbortSignal.timeout(60_000),
  log: createLog('test', 'silent'),
  now: () => new Date(),
  progress: async () => undefined,
  tell: async () => undefined,
  openSecret: async (handle: string, _purpose: string, owner?: string) => {
    opened.push(`${owner} ${handle}`);
    return key;
  },
};

const confinement = await openConfinement({ program: null }); // nothing is started
function partsOf(pool: Pool) {
  const parts = { targetsDir: join(folder, 'targets'), path: loadTestConfig().path, baseImage: 'none', confinement };
  return {
    pool,
    probes: createServerProbeStore(pool),
    publisher: { publish: async () => undefined },
    openDriver: ({
      server,
      serverHost,
      ...rest
    }: Parameters<Parameters<typeof createServerInspectHandler>[0]['openDriver']>[0]) =>
      openDriver(
        { name: server, host: serverHost, ...rest },
        { ...parts, openSecret: ({ handle, owner }, purpose) => context.openSecret(handle, purpose, owner) },
      ),
  };
}

/** Does what the tool waits for as the job service does it. */
const workOn = (pool: Pool) =>
  (async (job: string, payload: { server: string }) => {
    if (job !== 'server.inspect') throw new Error(`${job} is not expected`);
    const result = await createServerInspectHandler(partsOf(pool)).run(payload, context);
    return { kind: 'done', result };
  }) as unknown as ToolContext['work'];

let bench: CapabilityBench;
const closing: (() => Promise<unknown>)[] = [];
beforeEach(async () => {
  bench = await openCapabilityBench(workOn);
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  opened.length = 0;
  await bench.close();
});

const watch = () => createServersWatchHandler(partsOf(bench.pool)).run({}, context);
const incidents = async () =>
  (
    await bench.pool.query<{ subject: string; detail: string; open: boolean }>(
      `select subject, detail, closed_at is null as open from incidents where kind = 'server-down' order by incident_id`,
    )
  ).rows;

/** An engine as far as looking at it goes. */
async function startEngine(): Promise<() => Promise<void>> {
  const info = { NCPU: 3, MemTotal: 6 * 1024 ** 3, ServerVersion: '26.1', DockerRootDir: '/' };
  const server: Server = createServer((_, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(info));
  });
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  const stop = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
    rmSync(socket, { force: true });
  };
  return stop;
}

const registerEngine = (size: object = {}) =>
  bench.call('register_server', {
    name: 'box-1',
    host: '127.0.0.1',
    environment: 'staging',
    driver: 'docker',
    socket,
    ...size,
  });

describe('a server that can be reached', () => {
  it('is measured at its registration, and the figures in the request are ignored', async () => {
    closing.push(await startEngine());
    const { said } = await registerEngine({ cpus: 16, memoryMb: 65_536 });
    expect(said).toContain('I registered **box-1** (127.0.0.1) in staging, reached by docker, ports 20000 to 20999.');
    expect(said).toMatch(/\*\*box-1\*\* is up: 3 CPUs, .* of 6 GB memory free, .* disk free, Docker 26\.1\./);
    expect(said).toContain('You told me 16 CPUs and 64 GB; I use what I measured.');
    expect(await bench.ports.servers.get('box-1')).toMatchObject({
      cpus: 3,
      memoryMb: 6144,
      health: 'up',
      engine: 'Docker 26.1',
    });
    const list = await bench.call('list_managed_servers', {});
    expect(list.said).toMatch(/box-1.*3 CPUs, 6 GB of 6 GB free.*docker, up since 20\d\d-.* disk free/);
    expect(JSON.stringify(list.output)).not.toContain(socket);
  });

  it('can be the local machine, with its free resources', async () => {
    await ensureLocalServer(bench.pool, { cpus: 1, memoryMb: 1 });
    const { output, said } = await bench.call('inspect_server', { server: 'local' });
    expect(output).toMatchObject({ state: 'looked', reached: true });
    expect(said).toMatch(/\*\*local\*\* is up: \d+ CPUs?, .* memory free, .* disk free, process on Linux/);
    const { cpus, memoryMb, memoryFreeMb, diskFreeMb } = await bench.ports.servers.get('local');
    expect(memoryMb).toBeGreaterThan(100);
    expect([cpus, memoryFreeMb, diskFreeMb].every((measured) => (measured ?? 0) > 0)).toBe(true);
  });

  it('opens one incident when it goes down, and closes it when it answers again', async () => {
    const stop = await startEngine();
    await registerEngine();
    expect(await watch()).toMatchObject({ looked: 1, down: 0, opened: 0 });
    await stop();
    expect(await watch()).toMatchObject({ down: 1, opened: 1 });
    expect(await watch()).toMatchObject({ down: 1, opened: 0 });
    expect(await incidents()).toEqual([
      { subject: 'server:box-1', detail: 'The server box-1 does not answer: ENOENT', open: true },
    ]);
    const { said } = await bench.call('list_managed_servers', {});
    expect(said).toContain('docker, **down** since');
    await expect(bench.call('find_suitable_server', { memoryMb: 10, environment: 'staging' })).rejects.toThrow(
      /box-1 does not answer since 20\d\d-/,
    );
    closing.push(await startEngine());
    expect(await watch()).toMatchObject({ down: 0, closed: 1 });
    expect(await incidents()).toMatchObject([{ open: false }]);
    expect(await watch()).toMatchObject({ closed: 0 });
  });
});

describe('a server on which commands kept running after the connection was lost', () => {
  it('is reported once, in one line without the command, and opens no lasting incident', async () => {
    closing.push(await startEngine());
    await registerEngine();
    await bench.pool.query(
      `insert into users (user_key, channel, name, role) values ('1001', 'telegram', 'Ada', 'admin') on conflict do nothing`,
    );
    await bench.pool.query(
      `insert into inbox (channel, bot, update_id, user_key, chat_key, kind, envelope, trace_id)
       values ('telegram', 'test', '1', '1001', 'telegram:1001', 'message', '{"chatKind": "private"}', 'trc_test')`,
    );
    const left = [{ pid: 4_711, ranMs: 130_000 }];
    const parts = partsOf(bench.pool);
    const look = createServersWatchHandler({
      ...parts,
      openDriver: async (target) => ({ ...(await parts.openDriver(target)), endLost: async () => left.splice(0) }),
    });
    for (let n = 0; n < 2; n++) expect(await look.run({}, context)).toMatchObject({ looked: 1, down: 0 });
    const { rows } = await bench.pool.query(`select kind, told, closed_at is null as open from incidents`);
    expect(rows).toEqual([{ kind: 'lost-command', told: '1001', open: false }]);
    const { rows: news } = await bench.pool.query(
      `select envelope ->> 'say' as say from inbox where kind = 'incident'`,
    );
    expect(news).toEqual([
      {
        say: '**box-1**: I stopped a command there that kept running after the connection was lost, 2 min after its start.',
      },
    ]);
  });
});

describe('a server that was never reached', () => {
  it('is registered with the reason, without an incident, and is given no service', async () => {
    const { said } = await registerEngine();
    expect(said).toContain('The server box-1 does not answer: ENOENT');
    expect(await watch()).toMatchObject({ looked: 1, down: 1, opened: 0 });
    expect(await incidents()).toEqual([]);
    await expect(bench.call('find_suitable_server', { memoryMb: 1 })).rejects.toMatchObject({ code: 'NO_CAPACITY' });
  });

  it.each([
    [{ driver: 'ssh', host: '10.0.0.5' }, 'ssh needs a user and a key.'],
    [{ driver: 'docker', host: '10.0.0.5' }, 'is for an engine on this machine'],
    [{ host: '10.0.0.5' }, 'Tell me the CPUs and the memory of a server that I cannot reach.'],
  ])('is refused with a remedy when it is registered as %j', async (args, sentence) => {
    const call = bench.call('register_server', { name: 'vps-1', environment: 'staging', ...args });
    await expect(call).rejects.toThrow(sentence);
    expect(await bench.ports.servers.list()).toEqual([]);
  });

  it('is refused when the request contains a key in plain text', async () => {
    const args = { name: 'vps-1', host: '10.0.0.5', environment: 'staging', driver: 'ssh', user: 'root', key };
    await expect(bench.call('register_server', args)).rejects.toThrow('a key or token is given as a handle');
  });
});

describe('a server behind ssh', () => {
  let login: SshLogin;
  beforeEach(async () => {
    login = await openSshLogin();
    closing.push(() => login.close());
  });
  const register = () =>
    bench.call(
      'register_server',
      {
        name: 'vps-1',
        host: '127.0.0.1',
        environment: 'staging',
        driver: 'ssh',
        user: 'deploy',
        key: 'secret:vps-key',
        sshPort: login.port,
      },
      { userKey: 'simulator:1003' },
    );

  it('shows its host key first, and gets no login until exactly that key is trusted', async () => {
    const { said } = await register();
    expect(said).toContain(`it shows the host key ${login.fingerprint}, which nobody has approved`);
    expect(login.logins).toBe(0);
    expect(opened).toEqual(['simulator:1003 secret:vps-key']);
    const strange = `SHA256:${'A'.repeat(43)}`;
    await expect(bench.call('trust_host_key', { server: 'vps-1', fingerprint: strange })).rejects.toThrow(
      `vps-1 has shown the host key ${login.fingerprint}, not ${strange}. Only what was seen can be trusted.`,
    );
    const args = { server: 'vps-1', fingerprint: login.fingerprint };
    expect(await bench.preview('trust_host_key', args)).toMatchObject({
      what: `Trust the host key \`${login.fingerprint}\` of vps-1 (127.0.0.1)`,
      change: `Seen: \`${login.fingerprint}\`. Trusted until now: \`none\`.`,
    });
    await bench.call('trust_host_key', args);
    await bench.call('trust_host_key', args);
    const looked = await bench.call('inspect_server', { server: 'vps-1' });
    expect(looked.said).toContain('the socket /var/run/docker.sock cannot be opened by deploy');
    expect(login.logins).toBeGreaterThan(0);
  });

  it('gets no login after its host key has changed', async () => {
    await register();
    const first = login.fingerprint;
    await bench.call('trust_host_key', { server: 'vps-1', fingerprint: first });
    const second = await login.changeKey();
    const { said } = await bench.call('inspect_server', { server: 'vps-1' });
    expect(said).toContain(`shows the host key ${second}, and ${first} was approved`);
    expect(login.logins).toBe(0);
    expect(await bench.ports.servers.get('vps-1')).toMatchObject({
      health: 'down',
      hostKey: first,
      hostKeySeen: second,
    });
  });
});

describe('a service without a named server', () => {
  const place = async () =>
    (await findDeployServer(bench.pool, { project: 'shop', environment: 'staging' }, null)).server;
  const add = (name: string, memoryMb: number, more: { freeMb?: number; health?: string } = {}) =>
    bench.pool.query(
      `insert into servers (name, host, environment, cpus, memory_mb, memory_free_mb, health, first_port, last_port, driver, action_id,
                            measured_at)
       values ($1, '127.0.0.1', 'staging', 2, $2, $3, $4, 20000, 20999, 'docker', $1, now())`,
      [name, memoryMb, more.freeMb ?? null, more.health ?? 'up'],
    );

  it('is placed on the server with the most free resources, and not on one that is down', async () => {
    await ensureLocalServer(bench.pool, { cpus: 1, memoryMb: 99_999 });
    await bench.call('create_project_intent', { name: 'shop', description: 'Sells shoes' });
    expect(await place()).toBe('local');
    await add('big-but-down', 64_000, { health: 'down' });
    expect(await place()).toBe('big-but-down');
    await add('big-but-full', 32_000, { freeMb: 100 });
    await add('small-but-free', 4_000, { freeMb: 3_000 });
    expect(await place()).toBe('small-but-free');
  });
});

describe('a host key that no server has shown', () => {
  it('cannot be trusted', async () => {
    await ensureLocalServer(bench.pool, { cpus: 1, memoryMb: 100 });
    const call = bench.call('trust_host_key', { server: 'local', fingerprint: `SHA256:${'B'.repeat(43)}` });
    await expect(call).rejects.toThrow('local has not shown a host key yet. Inspect it first.');
  });
});
