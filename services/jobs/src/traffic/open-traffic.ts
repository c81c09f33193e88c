import { HaproxyTraffic } from './haproxy-traffic.ts';
import { createProxyTraffic } from './proxy-traffic.ts';
import type { Traffic } from './traffic.ts';

/** Which of the two decides what serves, and where it is spoken to. */
export interface TrafficSettings {
  readonly TRAFFIC: 'proxy' | 'haproxy';
  readonly PROXY_SOCKET: string;
  readonly HAPROXY_SOCKET?: string | undefined;
  readonly HAPROXY_STATE_DIR: string;
}

/** The switch that this installation has. Opens nothing yet: each call connects anew. */
export function openTraffic(settings: TrafficSettings): Traffic {
  const { TRAFFIC, PROXY_SOCKET, HAPROXY_SOCKET, HAPROXY_STATE_DIR } = settings;
  if (TRAFFIC === 'proxy') return createProxyTraffic({ socket: PROXY_SOCKET });
  if (HAPROXY_SOCKET === undefined)
    throw new Error('TRAFFIC=haproxy without HAPROXY_SOCKET; the configuration asks for it');
  return new HaproxyTraffic({ socket: HAPROXY_SOCKET, stateDir: HAPROXY_STATE_DIR });
}
