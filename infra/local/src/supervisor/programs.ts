import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { BubblewrapSettings } from '../setup/bubblewrap-program.ts';
import { buildProgramArgs } from '../checkout.ts';
import { getInheritedEnvironment, type LocalConfig } from '../config.ts';
import { findFreePort } from '../setup/free-port.ts';
import { holdPortFrom } from './held-port.ts';
import { pickEnvironment } from './service-variables.ts';
import { isJobPool, SIMULATOR_TOKEN, wireServices, type Surroundings } from './service-wiring.ts';
import type { ProgramSpec } from './supervisor.ts';

/** The simulator's program and URL. */
export async function describeSimulator(
  config: LocalConfig,
): Promise<{ readonly spec: ProgramSpec; readonly url: string }> {
  // Reserved, because the gateway trusts this port as Telegram, and people's messages go to it.
  const { port, sockets } = await holdPortFrom(config.SIMULATOR_PORT);
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

/** The programs of all services of service-wiring.ts, with free ports and logs in the data folder. */
export async function describeServices(
  config: LocalConfig,
  parts: Pick<Surroundings, 'loginOf' | 'keys' | 'simulatorUrl'>,
  bubblewrap: BubblewrapSettings,
): Promise<readonly ProgramSpec[]> {
  const inherited = getInheritedEnvironment();
  const page = await holdPortFrom(config.GATEWAY_HTTP_PORT, inherited['GATEWAY_HTTP_HOST'] || undefined);
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
    const isWaiting = service === 'analysis';
    const sockets = service === 'gateway' ? page.sockets : [];
    const more = {
      PROBE_PORT: String(port),
      ...(isWaiting ? WAITING_ENV : {}),
      ...(sockets.length > 0 ? { GATEWAY_HTTP_SOCKETS: listDescriptorNumbers(sockets) } : {}),
    };
    const spec = describeProgram(
      { name, source, readyUrl, env: { ...env, ...more }, sockets },
      config,
      isWaiting ? WAITING_FLAGS : MEMORY_FLAGS,
    );
    specs.push(isUrgent ? { ...spec, firstBackoffMs: URGENT_BACKOFF_MS } : spec);
  }
  return specs;
}

/** A random URL key, known only to readers of `npm start`'s output. */
function drawKey(): string {
  return randomBytes(24).toString('hex');
}

/** Descriptor of a program's first socket, after stdin, stdout and stderr. */
const FIRST_SOCKET = 3;

function listDescriptorNumbers(sockets: readonly number[]): string {
  return sockets.map((_, place) => FIRST_SOCKET + place).join(',');
}

/** Halves the memory of a local service, most of which is for short-lived objects. */
const MEMORY_FLAGS = ['--max-semi-space-size=4'];

/** For the analysis pool, which mostly waits and works in child processes: compiled code would only use memory. */
const WAITING_FLAGS = [
  '--max-semi-space-size=1',
  '--optimize-for-size',
  '--no-opt',
  '--no-sparkplug',
  '--lazy-feedback-allocation',
  '--v8-pool-size=0',
];
/** One malloc arena for all threads, which saves unused pages. */
const WAITING_ENV = { MALLOC_ARENA_MAX: '1' };

/** Time for the kernel to release the sockets. */
const URGENT_BACKOFF_MS = 20;

function describeProgram(
  { source, ...program }: Omit<ProgramSpec, 'words' | 'main' | 'logFile'> & { readonly source: string },
  config: LocalConfig,
  flags = MEMORY_FLAGS,
): ProgramSpec {
  const words = [...flags, ...buildProgramArgs(source)];
  const main = words.at(-1) ?? source;
  return { ...program, words, main, logFile: join(config.SIGNALBOX_DATA_DIR, 'logs', `${program.name}.log`) };
}
