import { waitOrAbort } from '@signalbox/contracts/time';
import { getSystemCode } from '@signalbox/contracts/system-error';
import { AppError } from '@signalbox/contracts/errors';
import { Agent } from 'node:http';
import Docker from 'dockerode';

/** A container engine's API with a server name, deadlines, and catalog errors for connection failures. */
export interface Engine {
  readonly server: string;
  /** Calls the API. Throws TARGET_UNREACHABLE, TARGET_LOST, the signal's reason, or the engine's own error unchanged. */
  call<T>(work: (docker: Docker) => Promise<T>, signal: AbortSignal): Promise<T>;
}

export const ENGINE_SOCKET = '/var/run/docker.sock';

/** Error codes of a connection that was never established: the engine has started nothing. */
const NO_CONNECTION_CODES = new Set([
  'ENOENT',
  'ECONNREFUSED',
  'EACCES',
  'ENOTFOUND',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
]);

/** `lost` rejects when the link to the engine drops; `assertOpen` throws after that. */
export interface EngineLink {
  readonly lost: Promise<never>;
  assertOpen(): void;
}

export function createEngine(server: string, docker: Docker, link?: EngineLink): Engine {
  return {
    server,
    call: async (work, signal) => {
      signal.throwIfAborted();
      link?.assertOpen();
      // The client never settles a call whose connection ends during the response.
      try {
        return await waitOrAbort(Promise.race([work(docker), ...(link ? [link.lost] : [])]), signal);
      } catch (error) {
        signal.throwIfAborted();
        throw toLinkError(server, error);
      }
    },
  };
}

/** Creates a client for the engine on a Unix socket of this machine. Connects on the first call. */
export function openLocalEngine(server: string, socketPath: string): Engine {
  // Every call opens a connection: a reused connection may be dead.
  const options = { socketPath, agent: new Agent({ keepAlive: false }) };
  return createEngine(server, new Docker(options));
}

/** Maps a connection failure to a catalog error; returns other errors unchanged. */
export function toLinkError(server: string, error: unknown): unknown {
  if (error instanceof AppError || !(error instanceof Error) || getStatusCode(error) !== null) return error;
  const code = getSystemCode(error);
  const detail = code === '' ? error.message : code;
  return new AppError(NO_CONNECTION_CODES.has(code) ? 'TARGET_UNREACHABLE' : 'TARGET_LOST', { server, detail }, error);
}

export function getStatusCode(error: unknown): number | null {
  if (!(error instanceof Error) || !('statusCode' in error)) return null;
  return typeof error.statusCode === 'number' ? error.statusCode : null;
}

export async function allowNotFound<T>(asked: Promise<T>): Promise<T | null> {
  try {
    return await asked;
  } catch (error) {
    if (getStatusCode(error) === 404) return null;
    throw error;
  }
}
