import { lookup } from 'node:dns/promises';
import { Agent, type ClientRequestArgs } from 'node:http';
import type { Duplex } from 'node:stream';
import { AppError } from '@signalbox/contracts/errors';
import Docker from 'dockerode';
import { createEngine, type Engine } from '../docker/engine.ts';
import type { EngineHost } from '../host.ts';
import type { Link } from './link.ts';
import { endLostCommands } from './lost-commands.ts';

const OUTPUT_BYTES = 64 * 1024;

/** Opens the server of a link as a host whose instances listen on the address of `host`. */
export async function openRemoteHost(link: Link, host: string): Promise<EngineHost> {
  const { address } = await lookup(host);
  const read = async (argv: readonly string[], signal: AbortSignal): Promise<string> => {
    const { code, stdout } = await link.execute(argv, { signal, maxBytes: OUTPUT_BYTES });
    return code === 0 ? stdout : '';
  };
  return {
    address,
    execute: (argv, options) => link.execute(argv, options),
    measure: async (folder, signal) => {
      const memory = /^MemAvailable:\s+(\d+) kB/m.exec(await read(['cat', '/proc/meminfo'], signal));
      // The engine's folder may be unreadable for this login.
      const disk = (await read(['df', '-Pk', folder], signal)) || (await read(['df', '-Pk', '/'], signal));
      const [, totalKb, , freeKb] = /\s(\d+)\s+(\d+)\s+(\d+)\s+\d+%/.exec(disk) ?? [];
      if (!memory?.[1] || !totalKb || !freeKb)
        throw new AppError('TARGET_UNREACHABLE', { server: link.server, detail: 'it does not say what it has' });
      const toMb = (kb: string): number => Math.floor(Number(kb) / 1_024);
      return { memoryFreeMb: toMb(memory[1]), diskMb: toMb(totalKb), diskFreeMb: toMb(freeKb) };
    },
    endLost: (signal) => endLostCommands(link, signal),
    close: () => link.close(),
  };
}

/** Creates a client for the server's engine through its socket. */
export function openRemoteEngine(link: Link, socketPath: string): Engine {
  const agent = new TunnelAgent(link, socketPath);
  const options = { host: 'http://engine', port: 80, agent };
  return createEngine(link.server, new Docker(options), link);
}

class TunnelAgent extends Agent {
  readonly #link: Link;
  readonly #socketPath: string;

  constructor(link: Link, socketPath: string) {
    super({ keepAlive: false });
    this.#link = link;
    this.#socketPath = socketPath;
  }

  override createConnection(
    _options: ClientRequestArgs,
    callback?: (error: Error | null, stream: Duplex) => void,
  ): Duplex | null | undefined {
    this.#link.connectSocket(this.#socketPath).then(
      (channel) => callback?.(null, channel),
      // On an error the client ignores the stream.
      (error: unknown) => callback?.(error as Error, undefined as unknown as Duplex),
    );
    return undefined;
  }
}
