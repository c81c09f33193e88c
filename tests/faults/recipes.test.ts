import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { createLog } from '@signalbox/platform/log';
import { RunStore } from '@signalbox/store/turns/runs';
import { openPool, type Pool } from '@signalbox/store/pool';
import { createSimulator, type Simulator } from '@signalbox/telegram-simulator/server';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { z } from 'zod';
import { loadTestConfig } from '../support/config.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { openPerson, type Person } from '../support/person.ts';
import { copyProduct, follow, readRecipes } from '../support/recipes.ts';
import { startService, type ServiceProcess } from '../support/service-process.ts';
import { openWiring, type Wiring } from '../support/wiring.ts';

// The recipes of docs/extending/ are followed in a copy of the product, whose services and command line then run as processes.

const Asked = z.object({
  messages: z.array(z.object({ from: z.string(), text: z.string() })),
  tools: z.array(z.object({ name: z.string() })),
});

let root: string;
let database: TestDatabase;
let simulator: Simulator;
let model: Server;
let pool: Pool;
let wiring: Wiring;
let ada: Person;
const services: ServiceProcess[] = [];

beforeAll(async () => {
  root = copyProduct();
  for (const shown of readRecipes()) follow(root, shown);
  database = await createDatabase();
  simulator = await createSimulator();
  model = await startModel();
  pool = openPool(database.url, createLog('test', 'silent'), { name: 'test', max: 4, as: 'owner' });
  wiring = await openWiring({
    databaseUrl: database.url,
    prefix: `x${randomBytes(4).toString('hex')}:`,
    simulatorUrl: simulator.url,
    env: { GATEWAY_CHANNELS: 'telegram', JOBS_LEASE_MS: '1000', MODEL: 'courier:small' },
  });
  await signalbox('migrate');
  services.push(...(await Promise.all((['gateway', 'worker', 'jobs'] as const).map(start))));
  ada = await openPerson({ pool, simulatorUrl: simulator.url, id: 1002, role: 'operator' });
}, 180_000);

afterAll(async () => {
  for (const service of services) await service.kill();
  await pool.end();
  await simulator.close();
  model.close();
  await wiring.close();
  await database.drop();
});

/** The copy's own list of variables has that of its new model; this checkout's has not. */
const start = (service: 'gateway' | 'worker' | 'jobs'): Promise<ServiceProcess> => {
  const { port } = model.address() as AddressInfo; // it listens on TCP
  const env = wiring.env(service === 'jobs' ? 'maintenance' : service);
  return startService(service, `recipes-${service}`, { ...env, COURIER_URL: `http://127.0.0.1:${port}/` }, root);
};

/** Runs the copy's command line and answers what it wrote. */
async function signalbox(...words: readonly string[]): Promise<string> {
  const node = ['--conditions=source', '--import', 'tsx', 'services/cli/src/main.ts'];
  const env = { PATH: loadTestConfig().path, DATABASE_URL: database.url };
  const { stdout } = await promisify(execFile)(process.execPath, [...node, ...words], { cwd: root, env });
  return stdout;
}

/** A server that speaks the recipe's protocol, and whose model asks for the recipe's tool. */
async function startModel(): Promise<Server> {
  const server = createServer((request, response) => {
    void text(request).then((body) => response.end(JSON.stringify(answer(Asked.parse(JSON.parse(body))))));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

function answer({ messages, tools }: z.infer<typeof Asked>): object {
  const call = (name: string, args: object): object => ({
    text: '',
    calls: [{ id: 'call_1', name, args }],
    done: true,
  });
  if (tools.some(({ name }) => name === 'classify_intent'))
    return call('classify_intent', { task_summary: 'the time', capabilities: ['world_clock'], project: null });
  const last = messages.at(-1);
  if (last?.from !== 'tool') return call('tell_time', { city: 'Tokyo' });
  return { text: `The tool says: ${last.text}`, calls: [], done: true };
}

it('the model of the documented provider calls the documented tool, and a person reads the result', async () => {
  await ada.send('What time is it in Tokyo?');
  expect(await ada.waitFor(/The tool says/)).toMatch(/20\d\d, \d+:\d\d [AP]M/);
});

it('the gateway answers the documented chat command', async () => {
  expect(await ada.ask('/uptime')).toEqual([expect.stringMatching(/^\d+ (?:s|seconds|min)/)]);
});

it('the documented job runs, and the person who asked for it reads the result', async () => {
  const person = { userKey: '1002', chatKey: 'telegram:1002' };
  const run = { runId: 'run_disk', job: 'disk.report', payload: {}, person, threadId: null, traceId: 'trc_disk' };
  await new RunStore(pool).create(run);
  expect(await ada.waitFor(/MB are free/)).toMatch(/^\d+ of \d+ MB are free\./);
  expect(await signalbox('runs', '--job', 'disk.report')).toContain('run_disk');
});

it('the documented policy rule is loaded with its examples, and decides', async () => {
  const check = await signalbox('policy', 'check');
  expect(check).toMatch(/friday-confirms +quiet-fridays\.cedar:\d+/);
  expect(check).toContain('every example holds');
  const friday = ['role=operator', 'risk=sensitive', 'environment=production', 'at=2026-11-20T16:00:00Z'];
  expect(await signalbox('policy', 'explain', ...friday)).toContain('friday-confirms');
});

it('the documented command is listed and run by the command line', async () => {
  expect(await signalbox('help')).toContain('What is free on the disks of these folders.');
  expect(JSON.parse(await signalbox('disks', root, '--json'))).toEqual([
    { folder: root, freeBytes: expect.any(Number) as number },
  ]);
});

it('the documented driver passes the contract suite of drivers', async () => {
  const servers = { SIGNALBOX_TEST_DATABASE_URL: inject('databaseUrl'), SIGNALBOX_TEST_REDIS_URL: inject('redisUrl') };
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [vitest, 'run', '--project', 'integration', 'tests/integration/jobs/driver-spare.test.ts'],
    { cwd: root, env: { PATH: loadTestConfig().path, HOME: homedir(), ...servers } },
  );
  expect(stdout).toMatch(/Test Files.*1 passed/);
});

it('a server with the documented driver is stored, and a server with an unknown driver is refused', async () => {
  const setDriver = (name: string) =>
    pool.query(`update servers set driver = $1 where name = 'local' returning driver`, [name]);
  expect((await setDriver('spare')).rows).toEqual([{ driver: 'spare' }]);
  await expect(setDriver('Spare Driver')).rejects.toThrow(/servers_driver_check/);
});

it('the documented agent is found in its folder, and answers after a person chooses it', async () => {
  await ada.send('/agent echo');
  await ada.waitFor(/echo answers you here/);
  await ada.send('Is anybody there?');
  expect(await ada.waitFor(/You said/)).toBe('You said: Is anybody there?');
  const { rows } = await pool.query(`select 1 from audit_events where actor = 'agent:echo'`);
  expect(rows.length).toBeGreaterThan(0);
});
