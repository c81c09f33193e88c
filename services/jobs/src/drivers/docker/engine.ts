import { untilAborted } from '@signalbox/contracts/time';
import { getSystemCode } from '@signalbox/contracts/system-error';
import { AppError } from '@signalbox/contracts/errors';
import type Docker from 'dockerode';

/** An engine's API with a server name, a deadline per call, and catalog errors for connection failures. */
export interface Engine {
  readonly server: string;
  /** Calls the API. Throws TARGET_UNREACHABLE, TARGET_LOST, the signal's reason, and refusals of the engine unchanged. */
  call<T>(work: (docker: Docker) => Promise<T>, signal: AbortSignal): Promise<T>;
}

/** Errors before a connection existed: nothing was started. */
const NEVER_THERE = new Set([
  'ENOENT',
  'ECONNREFUSED',
  'EACCES',
  'ENOTFOUND',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
]);

/** `lost` rejects when the link to the engine drops; `assertOpen` throws when it has. */
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
      // The client never settles a call whose connection ends during the answer.
      try {
        return await untilAborted(Promise.race([work(docker), ...(link ? [link.lost] : [])]), signal);
      } catch (error) {
        signal.throwIfAborted();
        throw linkError(server, error);
      }
    },
  };
}

/** Maps a connection failure to a catalog error; returns other errors unchanged. */
export function linkError(server: string, error: unknown): unknown {
  if (error instanceof AppError || !(error instanceof Error) || statusOf(error) !== null) return error;
  const code = getSystemCode(error);
  const detail = code === '' ? error.message : code;
  return new AppError(NEVER_THERE.has(code) ? 'TARGET_UNREACHABLE' : 'TARGET_LOST', { server, detail }, error);
}

export function statusOf(error: unknown): number | null {
  if (!(error instanceof Error) || !('statusCode' in error)) return null;
  return typeof error.statusCode === 'number' ? error.statusCode : null;
}

export async function allowNotFound<T>(asked: Promise<T>): Promise<T | null> {
  try {
    return await asked;
  } catch (error) {
    if (statusOf(error) === 404) return null;
    throw error;
  }
}
