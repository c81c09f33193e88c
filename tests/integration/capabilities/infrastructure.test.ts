import { createServer, type Server } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ensureLocalServer } from '@signalbox/store/deploy/servers';
import { freePort } from '../../support/free-port.ts';
import { openCapabilityBench, type CapabilityBench } from './bench.ts';

let bench: CapabilityBench;
beforeEach(async () => {
  bench = await openCapabilityBench();
  await bench.call('create_project_intent', { name: 'shop', description: 'Sells shoes' });
});
afterEach(() => bench.close());

const register = (name: string, size: Record<string, unknown> = {}) =>
  bench.call('register_server', {
    name,
    host: `${name}.example.org`,
    environment: 'staging',
    cpus: 2,
    memoryMb: 4096,
    firstPort: 9000,
    lastPort: 9099,
    ...size,
  });

const allocate = (args: Record<string, unknown> = {}, actionId?: string) =>
  bench.call(
    'allocate_port',
    { project: 'shop', server: 'web-1', memoryMb: 10, ...args },
    actionId ? { actionId } : {},
  );

const portsOf = (results: readonly { readonly output: Record<string, unknown> }[]) =>
  results.map(({ output }) => output['port']);

describe('allocating ports', () => {
  beforeEach(() => register('web-1'));

  it('gives fifty simultaneous requests the fifty lowest ports', async () => {
    const results = await Promise.all(Array.from({ length: 50 }, () => allocate()));
    expect(new Set(portsOf(results))).toEqual(new Set(Array.from({ length: 50 }, (_, i) => 9000 + i)));
  });

  it('twice with the same action allocates one port, also at the same time', async () => {
    const results = await Promise.all([1, 2, 3, 4].map(() => allocate({}, 'act_same')));
    expect(new Set(portsOf(results))).toEqual(new Set([9000]));
    expect(await bench.ports.portAllocations.list({})).toHaveLength(1);
  });

  it('gives a port to one of two simultaneous requests, and names its owner to the other', async () => {
    const [first, second] = await Promise.allSettled([allocate({ port: 9042 }), allocate({ port: 9042 })]);
    const refused = first.status === 'rejected' ? first : second;
    expect([first.status, second.status].sort()).toEqual(['fulfilled', 'rejected']);
    expect(refused).toMatchObject({
      reason: { code: 'PORT_TAKEN', message: 'Port 9042 of web-1 belongs to shop (web).' },
    });
  });

  it('never reserves the same memory of a server twice', async () => {
    await register('small', { memoryMb: 1000 });
    const results = await Promise.allSettled(
      Array.from({ length: 8 }, () => allocate({ server: 'small', memoryMb: 300 })),
    );
    expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(3);
    expect(await bench.ports.servers.get('small')).toMatchObject({ reservedMemoryMb: 900, portsInUse: 3 });
    await expect(allocate({ server: 'small', memoryMb: 300 })).rejects.toThrow(
      'small has 100 of 1000 MB left, and 300 MB are needed.',
    );
  });

  it('on a full server is refused', async () => {
    await register('tiny', { firstPort: 9000, lastPort: 9001 });
    await allocate({ server: 'tiny' });
    expect((await bench.call('get_next_available_port', { server: 'tiny' })).output['port']).toBe(9001);
    await allocate({ server: 'tiny' });
    expect((await bench.call('get_next_available_port', { server: 'tiny' })).said).toBe('**tiny** has no free port.');
    await expect(allocate({ server: 'tiny' })).rejects.toMatchObject({ code: 'NO_CAPACITY' });
  });

  it.each([
    [{ port: 80 }, 'Port 80 is outside the range of web-1 (9000 to 9099).'],
    [{ server: 'web1' }, 'I know no server named web1. Known: web-1 (did you mean this?).'],
    [{ project: 'shpo' }, 'I know no project named shpo. Known: shop (did you mean this?).'],
  ])('with %j is refused with the reason', async (args, sentence) => {
    await expect(allocate(args)).rejects.toThrow(sentence);
  });

  it('is refused for an archived project', async () => {
    await bench.call('update_project', { project: 'shop', status: 'archived' });
    await expect(allocate()).rejects.toMatchObject({ code: 'PROJECT_ARCHIVED' });
  });
});

describe('ports on which another program listens', () => {
  const strangers: Server[] = [];
  const listenOn = async (port: number): Promise<void> => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    strangers.push(server);
  };
  let first: number;
  beforeEach(async () => {
    // A range of free ports of this machine, on a server that is this machine.
    first = await freePort();
    await listenOn(first);
    await bench.pool.query(
      `insert into servers (name, host, environment, cpus, memory_mb, first_port, last_port, driver, action_id)
       values ('here', '127.0.0.1', 'staging', 2, 4096, $1, $2, 'process', 'here')`,
      [first, Math.min(first + 200, 65_535)],
    );
  });
  afterEach(async () => {
    for (const server of strangers.splice(0)) await new Promise((resolve) => server.close(resolve));
  });

  it('are skipped, and the answer names them', async () => {
    const { output, said } = await allocate({ server: 'here' });
    expect(output).toMatchObject({ passedOver: expect.arrayContaining([first]) as number[] });
    expect(output['port']).toBeGreaterThan(first);
    // Other programs of the machine may have the ports beside it.
    expect(said).toMatch(new RegExp(`reserved\\. ${first}\\b.* not allocated, but something already listens there`));
    const next = await bench.call('get_next_available_port', { server: 'here' });
    expect(next.output['port']).toBeGreaterThan(output['port'] as number);
  });

  it('are refused when the request asks for one of them', async () => {
    await expect(allocate({ server: 'here', port: first })).rejects.toThrow(
      `Port ${first} of here is not allocated, but something already listens on it. Take another one.`,
    );
    expect(await bench.ports.portAllocations.list({ server: 'here' })).toEqual([]);
  });

  it('are allocated to none of fifty simultaneous requests', async () => {
    const results = await Promise.all(Array.from({ length: 50 }, () => allocate({ server: 'here' })));
    const ports = portsOf(results);
    expect(new Set(ports).size).toBe(50);
    expect(ports).not.toContain(first);
  });
});

describe('releasing ports', () => {
  beforeEach(() => register('web-1'));

  it('frees the port and the reserved memory for the next request', async () => {
    await Promise.all([allocate(), allocate(), allocate()]);
    const { said } = await bench.call('release_port', { server: 'web-1', port: 9001 });
    expect(said).toContain('Port **9001** on **web-1** is free again');
    expect((await allocate()).output['port']).toBe(9001);
  });

  it('twice with the same action does not take the port from a later owner', async () => {
    await allocate({}, 'act_first');
    await bench.call('release_port', { server: 'web-1', port: 9000 }, { actionId: 'act_release' });
    await allocate({ service: 'later' }, 'act_second');
    await bench.call('release_port', { server: 'web-1', port: 9000 }, { actionId: 'act_release' });
    expect(await bench.ports.portAllocations.list({})).toMatchObject([{ port: 9000, service: 'later' }]);
  });

  it('of an unallocated port is refused with a list of the allocated ports', async () => {
    await allocate();
    await expect(bench.call('release_port', { server: 'web-1', port: 9007 })).rejects.toThrow(
      'I know no allocation on web-1 named 9007. Known: 9000.',
    );
  });

  it('keeps the other allocations of the project', async () => {
    await Promise.all([allocate({ service: 'api' }), allocate({ service: 'web' })]);
    await bench.call('release_port', { server: 'web-1', port: 9000 });
    expect((await bench.call('list_allocations', { project: 'shop' })).said).toMatch(
      /^1 allocation:\n\n- \*\*web-1:9001\*\* shop/,
    );
    expect((await bench.call('list_allocations', { server: 'web-1' })).output).toMatchObject({
      allocations: [{ port: 9001 }],
    });
    await expect(bench.call('list_allocations', { server: 'web-9' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('servers', () => {
  it('are registered once under a name, by two people at once or by a repeated action', async () => {
    const results = await Promise.allSettled([register('web-1'), register('web-1')]);
    expect(results.map((result) => result.status).sort()).toEqual(['fulfilled', 'rejected']);
    const args = { name: 'web-2', host: '10.0.0.5', environment: 'production', cpus: 4, memoryMb: 8192 };
    await Promise.all([1, 2].map(() => bench.call('register_server', args, { actionId: 'act_same' })));
    const { said } = await bench.call('list_managed_servers', { environment: 'production' });
    expect(said).toBe(
      '1 server in production:\n\n- **web-2** (production, 10.0.0.5): 4 CPUs, 8 GB of 8 GB free, 0 ports in use',
    );
  });

  it('with an empty port range are refused', async () => {
    await expect(register('web-1', { firstPort: 9000, lastPort: 8000 })).rejects.toMatchObject({
      code: 'PORT_RANGE_EMPTY',
    });
  });

  it('include this machine once, with its measured size, however often it is registered', async () => {
    await Promise.all([1, 2, 3].map(() => ensureLocalServer(bench.pool, { cpus: 2, memoryMb: 2000.5 })));
    await ensureLocalServer(bench.pool, { cpus: 4, memoryMb: 4000 });
    expect(await bench.ports.servers.list()).toMatchObject([
      { name: 'local', environment: 'local', cpus: 4, memoryMb: 4000, firstPort: 20_000, lastPort: 20_999 },
    ]);
  });

  it('are chosen by their free memory and ports, and the answer explains the choice', async () => {
    await register('web-1', { memoryMb: 4096 });
    await register('web-2', { memoryMb: 8192, cpus: 1 });
    await register('web-3', { memoryMb: 8192, environment: 'production' });
    await allocate({ server: 'web-1', memoryMb: 2048 });
    expect(
      (await bench.call('find_suitable_server', { memoryMb: 1024, environment: 'staging' })).output['server'],
    ).toBe('web-2');
    const { output, said } = await bench.call('find_suitable_server', {
      memoryMb: 1024,
      cpus: 2,
      environment: 'staging',
    });
    expect(output['server']).toBe('web-1');
    expect(said).toBe(
      '**web-1** fits best: 2 GB of 4 GB memory free, 2 CPUs, 99 ports free.\n\nNot chosen:\n- web-2 has 1 CPU, 2 needed',
    );
    expect((await bench.call('find_suitable_server', { memoryMb: 6000, cpus: 2 })).output['server']).toBe('web-3');
  });

  it('without enough room are each named with the reason', async () => {
    await expect(bench.call('find_suitable_server', { memoryMb: 64 })).rejects.toThrow(
      'There is no server yet; register one first.',
    );
    await register('web-1');
    await expect(bench.call('find_suitable_server', { memoryMb: 9000, environment: 'staging' })).rejects.toThrow(
      'No server in staging has room: web-1 has 4 GB memory free, 8.8 GB needed.',
    );
  });
});

it('processes that start at the same moment on a new database all find the local server', async () => {
  for (let round = 0; round < 100; round += 1) {
    await bench.pool.query(`delete from servers where name = 'local'`);
    const rows = await Promise.all(
      Array.from({ length: 8 }, () => ensureLocalServer(bench.pool, { cpus: 2, memoryMb: 4_096 })),
    );
    expect(new Set(rows.map(({ name }) => name))).toEqual(new Set(['local']));
  }
});
