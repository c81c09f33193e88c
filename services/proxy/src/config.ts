import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CommonConfig, readConfig } from '@signalbox/platform/config';
import { SECOND_MS } from '@signalbox/contracts/time';
import { z } from 'zod';

const REPOSITORY = fileURLToPath(new URL('../../../', import.meta.url));

export const ProxyConfig = CommonConfig.pick({ PROBE_HOST: true, PROBE_PORT: true, LOG_LEVEL: true }).extend({
  /** Folder of the routes, which are back after a restart. */
  PROXY_DIR: z.string().default(`${REPOSITORY}.signalbox/proxy`),
  /** The unix socket by which routes are set; whoever may open it decides what serves. Default: admin.sock in that folder. */
  PROXY_SOCKET: z.string().optional(),
  /** How long it may take to reach an instance, in milliseconds. */
  PROXY_CONNECT_MS: z.coerce.number().int().min(10).default(3_000),
  /** An instance that sends and takes nothing for this long in the middle of a request is given up, in milliseconds. */
  PROXY_SILENCE_MS: z.coerce
    .number()
    .int()
    .min(100)
    .default(120 * SECOND_MS),
  /** How long open requests may take when the proxy is told to stop, in milliseconds; a service is ended after 12 s. */
  PROXY_DRAIN_MS: z.coerce.number().int().min(0).max(11_000).default(8_000),
  /** Whether something stands before the proxy that says who the client is. Otherwise such headers of clients are replaced. */
  PROXY_TRUST_FORWARDED: z.enum(['on', 'off'], { error: 'is neither on nor off' }).default('off'),
});

export type ProxyConfig = z.infer<typeof ProxyConfig> & { readonly PROXY_SOCKET: string };

/** Reads the proxy's configuration. Throws CONFIG_INVALID with every problem. */
export function loadConfig(environment?: Readonly<Record<string, string | undefined>>): ProxyConfig {
  const config = readConfig(ProxyConfig, environment);
  return { ...config, PROXY_SOCKET: config.PROXY_SOCKET ?? join(config.PROXY_DIR, 'admin.sock') };
}
