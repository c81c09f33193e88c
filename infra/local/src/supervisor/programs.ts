import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { BubblewrapSettings } from '../setup/bubblewrap-program.ts';
import { buildProgramArgs } from '../checkout.ts';
import { getInheritedEnvironment, type LocalConfig } from '../config.ts';
import { findFreePort } from '../setup/free-port.ts';
import { reservePort } from './reserved-port.ts';
import { pickEnvironment } from './service-variables.ts';
import { isJobPool, SIMULATOR_TOKEN, wireServices } from './service-wiring.ts';
import type { InstallationSettings, WiredService } from './service-wiring.ts';
import type { ProgramSpec } from './supervisor.ts';

/** Describes how to start the simulator, and its URL. */
export async function planSimulator(
  config: LocalConfig,
): Promise<{ readonly spec: ProgramSpec; readonly url: string }> {
  // The port is reserved, because the gateway sends people's messages to it.
  const { port, sockets } = await reservePort(config.SIMULATOR_PORT);
  const key = drawKey();
  const address = `http://127.0.0.1:${port}`;
  const env = pickEnvironment('simulator', getInheritedEnvironment(), {
    SIMULATOR_PORT: String(port),
    SIMULATOR_DATA_DIR: join(config.SIGNALBOX_DATA_DIR, 'simulator'),
    SIMULATOR_SOCKETS: listDescriptorNumbers(sockets),
    SIMULATOR_TOKEN,
    SIMULATOR_KEY: key,
  });
  const source = 'infra/telegram-simulator/src/main.ts';
  const program = { name: 'simulator', source, readyUrl: `${address}/healthz`, env, sockets };
  return { spec: describeProgram(program, config), url: `${address}/${key}` };
}

/** Describes how to start each service, with a free port and a log in the data folder. */
export async function planServices(
  config: LocalConfig,
  parts: Pick<InstallationSettings, 'loginOf' | 'keys' | 'simulatorUrl'>,
  bubblewrap: BubblewrapSettings,
): Promise<readonly ProgramSpec[]> {
  const inherited = getInheritedEnvironment();
  const page = await reservePort(config.GATEWAY_HTTP_PORT, inherited['GATEWAY_HTTP_HOST'] || undefined);
  const services = wireServices({
    ...parts,
    bubblewrap,
    dataDir: config.SIGNALBOX_DATA_DIR,
    inherited: { ...inherited, TELEGRAM_BOT_TOKEN: config.TELEGRAM_BOT_TOKEN },
    workers: config.SIGNALBOX_WORKERS,
    pagePort: page.port,
    startKey: drawKey(),
  });
  const specs: ProgramSpec[] = [];
  for (const { name, service, env, isUrgent } of services) {
    const port = await findFreePort();
    const source = `services/${isJobPool(service) ? 'jobs' : service}/src/main.ts`;
    const readyUrl = `http://127.0.0.1:${port}/readyz`;
    const sockets = service === 'gateway' ? page.sockets : [];
    const more = {
      PROBE_PORT: String(port),
      ...(isJobPool(service) ? JOB_ENV : {}),
      ...(sockets.length > 0 ? { GATEWAY_HTTP_SOCKETS: listDescriptorNumbers(sockets) } : {}),
    };
    const spec = describeProgram(
      { name, source, readyUrl, env: { ...env, ...more }, sockets },
      config,
      chooseFlags(service),
    );
    specs.push(isUrgent ? { ...spec, firstBackoffMs: URGENT_BACKOFF_MS } : spec);
  }
  return specs;
}

/** Returns a random URL key that only the output of `npm start` shows. */
function drawKey(): string {
  return randomBytes(24).toString('hex');
}

/** Descriptors 0 to 2 are stdin, stdout and stderr. */
const FIRST_SOCKET = 3;

function listDescriptorNumbers(sockets: readonly number[]): string {
  return sockets.map((_, place) => FIRST_SOCKET + place).join(',');
}

/** Halves the memory of a local service by a smaller heap for young objects. */
export const MEMORY_FLAGS = ['--max-semi-space-size=4'];

/** Optimizes only what a busy worker runs of the policy engine, and not what its examples run at the start. */
const WORKER_FLAGS = [...MEMORY_FLAGS, '--wasm-tiering-budget=100000000'];

/** Saves memory in job pools, which mostly wait for child processes and servers. */
const JOB_FLAGS = ['--max-semi-space-size=1', '--optimize-for-size', '--v8-pool-size=0'];
/** The analysis pool does all its work in child processes, so it needs no compiled code. */
const WAITING_FLAGS = [...JOB_FLAGS, '--no-opt', '--no-sparkplug', '--lazy-feedback-allocation'];
/** Limits malloc to one arena for all threads, which saves unused pages. */
const JOB_ENV = { MALLOC_ARENA_MAX: '1' };

function chooseFlags(service: WiredService['service']): readonly string[] {
  if (service === 'analysis') return WAITING_FLAGS;
  if (service === 'worker') return WORKER_FLAGS;
  return isJobPool(service) ? JOB_FLAGS : MEMORY_FLAGS;
}

/** Time in which the kernel releases the sockets of an ended process. */
const URGENT_BACKOFF_MS = 20;

function describeProgram(
  { source, ...program }: Omit<ProgramSpec, 'args' | 'main' | 'logFile'> & { readonly source: string },
  config: LocalConfig,
  flags: readonly string[] = MEMORY_FLAGS,
): ProgramSpec {
  const args = [...flags, ...buildProgramArgs(source)];
  const main = args.at(-1) ?? source;
  return { ...program, args, main, logFile: join(config.SIGNALBOX_DATA_DIR, 'logs', `${program.name}.log`) };
}
