import { GATEWAY_VARIABLES } from '@signalbox/gateway/config';
import { variablesOfPool } from '@signalbox/jobs/config';
import { ProxyConfig } from '@signalbox/proxy/config';
import { WorkerConfig } from '@signalbox/worker/config';

/*
 * `npm start` gives each service the variables that its config.ts names, and no others. A service never receives a secret that it does
 * not read.
 */

/** What any program may need of its machine. Nothing of it is a secret, and nothing of it loads code. */
const MACHINE = ['PATH', 'HOME', 'USER', 'LOGNAME', 'LANG', 'LANGUAGE', 'LC_ALL', 'LC_CTYPE', 'TZ', 'TMPDIR'];
/** How the world outside is reached. A proxy's address may hold a password, so only those get it who speak to the world. */
const OUTSIDE = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'no_proxy', 'SSL_CERT_FILE'];
const WORLD = [...MACHINE, ...OUTSIDE, 'NODE_EXTRA_CA_CERTS'];

/** The programs of a local run that differ in what they may know. */
export type LocalService =
  'simulator' | 'proxy' | 'gateway' | 'worker' | 'maintenance' | 'agents' | 'deploy' | 'analysis';

export const SERVICE_VARIABLES: Readonly<Record<LocalService, readonly string[]>> = {
  simulator: [
    ...MACHINE,
    'SIMULATOR_PORT',
    'SIMULATOR_SOCKETS',
    'SIMULATOR_DATA_DIR',
    'SIMULATOR_TOKEN',
    'SIMULATOR_KEY',
  ],
  proxy: [...MACHINE, ...Object.keys(ProxyConfig.shape)],
  gateway: [...WORLD, ...GATEWAY_VARIABLES],
  worker: [...WORLD, ...Object.keys(WorkerConfig.shape)],
  maintenance: [...MACHINE, ...variablesOfPool('maintenance')],
  agents: [...MACHINE, ...variablesOfPool('agents')],
  deploy: [...WORLD, ...variablesOfPool('deploy')],
  analysis: [...WORLD, ...variablesOfPool('analysis')],
};

/** Of the variables given, those that a service may have; later ones win, unless they are empty. */
export function environmentOf(
  service: LocalService,
  ...given: readonly Readonly<Record<string, string | undefined>>[]
): Readonly<Record<string, string | undefined>> {
  const valueOf = (name: string): string | undefined => given.findLast((variables) => variables[name])?.[name];
  return Object.fromEntries(SERVICE_VARIABLES[service].map((name) => [name, valueOf(name)]));
}
