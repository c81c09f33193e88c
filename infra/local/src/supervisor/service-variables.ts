import { GATEWAY_VARIABLES } from '@signalbox/gateway/config';
import { listPoolVariables } from '@signalbox/jobs/config';
import { listVariables } from '@signalbox/platform/secret-files';
import { ProxyConfig } from '@signalbox/proxy/config';
import { WorkerConfig } from '@signalbox/worker/config';

/* `npm start` gives each service only the variables in its config.ts, so that no service receives another's secrets. */

/** Variables of the machine that any program may have: no secrets, and none that load code. */
const MACHINE = ['PATH', 'HOME', 'USER', 'LOGNAME', 'LANG', 'LANGUAGE', 'LC_ALL', 'LC_CTYPE', 'TZ', 'TMPDIR'];
/** Variables for outgoing connections. A proxy URL may contain a password, so only services that use the internet get them. */
const OUTSIDE = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'no_proxy', 'SSL_CERT_FILE'];
const MACHINE_AND_OUTSIDE = [...MACHINE, ...OUTSIDE, 'NODE_EXTRA_CA_CERTS'];

/** Programs with an environment of their own. */
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
  proxy: [...MACHINE, ...listVariables(ProxyConfig.shape)],
  gateway: [...MACHINE_AND_OUTSIDE, ...GATEWAY_VARIABLES],
  worker: [...MACHINE_AND_OUTSIDE, ...listVariables(WorkerConfig.shape)],
  maintenance: [...MACHINE, ...listPoolVariables('maintenance')],
  agents: [...MACHINE, ...listPoolVariables('agents')],
  deploy: [...MACHINE_AND_OUTSIDE, ...listPoolVariables('deploy')],
  analysis: [...MACHINE_AND_OUTSIDE, ...listPoolVariables('analysis')],
};

/**
 * Picks the variables that a service may have. Later values override earlier ones, except with an empty value. A later NAME also overrides
 * an earlier NAME_FILE, and the other way round.
 */
export function pickEnvironment(
  service: LocalService,
  ...given: readonly Readonly<Record<string, string | undefined>>[]
): Readonly<Record<string, string | undefined>> {
  const names = new Set(SERVICE_VARIABLES[service]);
  const findSet = (name: string): number =>
    names.has(name) ? given.findLastIndex((variables) => variables[name]) : -1;
  const valueOf = (name: string): string | undefined => {
    const other = name.endsWith('_FILE') ? name.slice(0, -'_FILE'.length) : `${name}_FILE`;
    return findSet(other) > findSet(name) ? undefined : given[findSet(name)]?.[name];
  };
  return Object.fromEntries([...names].map((name) => [name, valueOf(name)]));
}
