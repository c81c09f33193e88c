import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { BubblewrapSettings } from '../setup/bubblewrap-program.ts';
import { programWords } from '../checkout.ts';
import { inheritedEnvironment, type LocalConfig } from '../config.ts';
import { findFreePort } from '../setup/free-port.ts';
import { holdPortFrom } from './held-port.ts';
import { environmentOf } from './service-variables.ts';
import { isJobPool, SIMULATOR_TOKEN, wireServices, type Surroundings } from './service-wiring.ts';
import type { ProgramSpec } from './supervisor.ts';

/** The simulator as a program, and where its page is. */
export async function describeSimulator(
  config: LocalConfig,
): Promise<{ readonly spec: ProgramSpec; readonly url: string }> {
  // The gateway trusts this port as Telegram, and the page sends people's words to it.
  const { port, sockets } = await holdPortFrom(config.SIMULATOR_PORT);
  const key = drawKey();
  const address = `http://127.0.0.1:${port}`;
  const env = environmentOf('simulator', inheritedEnvironment(), {
    SIMULATOR_PORT: String(port),
    SIMULATOR_DATA_DIR: join(config.SIGNALBOX_DATA_DIR, 'simulator'),
    SIMULATOR_SOCKETS: numbersOf(sockets),
    SIMULATOR_TOKEN,
    SIMULATOR_KEY: key,
  });
  const source = 'infra/telegram-simulator/src/main.ts';
  const program = { name: 'simulator', source, readyUrl: `${address}/healthz`, env, sockets };
  return { spec: describeProgram(program, config), url: `${address}/${key}` };
}

/** The programs of the services, as service-wiring.ts has them, with free ports and this folder's logs. */
export async function describeServices(
  config: LocalConfig,
  parts: Pick<Surroundings, 'loginOf' | 'keys' | 'simulatorUrl'>,
  bubblewrap: BubblewrapSettings,
): Promise<readonly ProgramSpec[]> {
  const inherited = inheritedEnvironment();
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
      ...(sockets.length > 0 ? { GATEWAY_HTTP_SOCKETS: numbersOf(sockets) } : {}),
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

/** What stands in an address that only those know who see what `npm start` prints. */
function drawKey(): string {
  return randomBytes(24).toString('hex');
}

/** Under this number a program has the first of its sockets: behind input, output and errors. */
const FIRST_SOCKET = 3;

function numbersOf(sockets: readonly number[]): string {
  return sockets.map((_, place) => FIRST_SOCKET + place).join(',');
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
