import { join } from 'node:path';
import type { BubblewrapSettings } from '../setup/bubblewrap-program.ts';
import { programWords } from '../setup/checkout.ts';
import { inheritedEnvironment, type LocalConfig } from '../config.ts';
import { findFreePort, findFreePortFrom } from '../setup/free-port.ts';
import { environmentOf } from './service-variables.ts';
import { isJobPool, SIMULATOR_TOKEN, wireServices, type Surroundings } from './service-wiring.ts';
import type { ProgramSpec } from './supervisor.ts';

/** The simulator as a program, and where its page is. */
export async function describeSimulator(
  config: LocalConfig,
): Promise<{ readonly spec: ProgramSpec; readonly url: string }> {
  const port = await findFreePortFrom(config.SIMULATOR_PORT);
  const url = `http://127.0.0.1:${port}`;
  const env = environmentOf('simulator', inheritedEnvironment(), {
    SIMULATOR_PORT: String(port),
    SIMULATOR_DATA_DIR: join(config.SIGNALBOX_DATA_DIR, 'simulator'),
    SIMULATOR_TOKEN,
  });
  const source = 'infra/telegram-simulator/src/main.ts';
  return { spec: describeProgram({ name: 'simulator', source, readyUrl: `${url}/healthz`, env }, config), url };
}

/** The programs of the services, as service-wiring.ts has them, with free ports and this folder's logs. */
export async function describeServices(
  config: LocalConfig,
  parts: Pick<Surroundings, 'loginOf' | 'keys' | 'simulatorUrl'>,
  bubblewrap: BubblewrapSettings,
): Promise<readonly ProgramSpec[]> {
  const services = wireServices({
    ...parts,
    bubblewrap,
    dataDir: config.SIGNALBOX_DATA_DIR,
    inherited: { ...inheritedEnvironment(), TELEGRAM_BOT_TOKEN: config.TELEGRAM_BOT_TOKEN },
    workers: config.SIGNALBOX_WORKERS,
    pagePort: await findFreePortFrom(config.GATEWAY_HTTP_PORT),
  });
  const specs: ProgramSpec[] = [];
  for (const { name, service, env, isUrgent } of services) {
    const port = await findFreePort();
    const source = `services/${isJobPool(service) ? 'jobs' : service}/src/main.ts`;
    const readyUrl = `http://127.0.0.1:${port}/readyz`;
    const isWaiting = service === 'analysis';
    const spec = describeProgram(
      { name, source, readyUrl, env: { ...env, ...(isWaiting ? WAITING_ENV : {}), PROBE_PORT: String(port) } },
      config,
      isWaiting ? WAITING_FLAGS : MEMORY_FLAGS,
    );
    specs.push(isUrgent ? { ...spec, firstBackoffMs: URGENT_BACKOFF_MS } : spec);
  }
  return specs;
}

/** Half of what a service of one instance keeps otherwise is room for objects that live for a moment. */
const MEMORY_FLAGS = ['--max-semi-space-size=4'];

/** It waits for most of its life, and what is work happens in processes of their own: compiled code would only take room. */
const WAITING_FLAGS = [
  '--max-semi-space-size=1',
  '--optimize-for-size',
  '--no-opt',
  '--no-sparkplug',
  '--lazy-feedback-allocation',
  '--v8-pool-size=0',
];
/** One heap of the C library for all threads: each of its own keeps pages that nobody uses. */
const WAITING_ENV = { MALLOC_ARENA_MAX: '1' };

/** Long enough for the kernel to give its sockets back. */
const URGENT_BACKOFF_MS = 20;

function describeProgram(
  { source, ...program }: Omit<ProgramSpec, 'words' | 'main' | 'logFile'> & { readonly source: string },
  config: LocalConfig,
  flags = MEMORY_FLAGS,
): ProgramSpec {
  const words = [...flags, ...programWords(source)];
  const main = words.at(-1) ?? source;
  return { ...program, words, main, logFile: join(config.SIGNALBOX_DATA_DIR, 'logs', `${program.name}.log`) };
}
