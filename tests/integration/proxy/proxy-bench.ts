import { closeAll, type Closable } from '@signalbox/platform/lifecycle';
import { createLog } from '@signalbox/platform/log';
import { loadConfig } from '@signalbox/proxy/config';
import { createProxy, type Proxy } from '@signalbox/proxy/proxy';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A proxy in this process. */
export interface ProxyBench extends Proxy, Closable {
  readonly folder: string;
  readonly socket: string;
}

/** A folder for a proxy: paths of unix sockets are short, so it is not below the one of the run. */
export function makeProxyFolder(): string {
  return mkdtempSync(join(tmpdir(), 'sb-proxy-'));
}

/** Starts a proxy in a folder, or in the one of an earlier proxy. */
export async function startProxy(
  folder: string = makeProxyFolder(),
  settings: Readonly<Record<string, string>> = {},
): Promise<ProxyBench> {
  const parts: Closable[] = [];
  const log = createLog('proxy', 'silent');
  const config = loadConfig({ PROXY_DIR: folder, PROXY_DRAIN_MS: '1000', ...settings });
  const own = <T extends Closable>(part: T): T => {
    parts.push(part);
    return part;
  };
  const close = async (): Promise<void> => {
    if ((await closeAll(parts.splice(0), log)) > 0) throw new Error('a part could not be closed');
  };
  try {
    return { ...(await createProxy(own, config, log)), folder, socket: config.PROXY_SOCKET, close };
  } catch (error) {
    await close();
    throw error;
  }
}
