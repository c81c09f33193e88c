import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CommonConfig, readConfig } from '@signalbox/platform/config';
import { SECOND_MS } from '@signalbox/contracts/time';
import { z } from 'zod';

const REPOSITORY = fileURLToPath(new URL('../../../', import.meta.url));

export const ProxyConfig = CommonConfig.pick({ PROBE_HOST: true, PROBE_PORT: true, LOG_LEVEL: true }).extend({
  /** Folder of the stored routes, which survive a restart. */
  PROXY_DIR: z.string().default(`${REPOSITORY}.signalbox/proxy`),
  /** Unix socket for setting routes; anybody who may open it controls the traffic. Default: admin.sock in PROXY_DIR. */
  PROXY_SOCKET: z.string().optional(),
  /** Milliseconds to connect to an instance. */
  PROXY_CONNECT_MS: z.coerce.number().int().min(10).default(3_000),
  /** Milliseconds without traffic after which a request to an instance is given up. */
  PROXY_SILENCE_MS: z.coerce
    .number()
    .int()
    .min(100)
    .default(120 * SECOND_MS),
  /** Milliseconds for open requests when the proxy stops; services are killed after 12 s. */
  PROXY_DRAIN_MS: z.coerce.number().int().min(0).max(11_000).default(8_000),
  /** `on` when a trusted proxy in front sets forwarded headers. Otherwise the headers of clients are replaced. */
  PROXY_TRUST_FORWARDED: z.enum(['on', 'off'], { error: 'is neither on nor off' }).default('off'),
});

export type ProxyConfig = z.infer<typeof ProxyConfig> & { readonly PROXY_SOCKET: string };

/** Reads the proxy's configuration. Throws CONFIG_INVALID with every problem. */
export function loadConfig(environment?: Readonly<Record<string, string | undefined>>): ProxyConfig {
  const config = readConfig(ProxyConfig, environment);
  return { ...config, PROXY_SOCKET: config.PROXY_SOCKET ?? join(config.PROXY_DIR, 'admin.sock') };
}
