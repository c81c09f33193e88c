import { untilAborted } from '@signalbox/contracts/time';
import { systemCode } from '@signalbox/contracts/system-error';
import { AppError } from '@signalbox/contracts/errors';
import type Docker from 'dockerode';

/** An engine's API with a name, a deadline for each call, and the catalog's errors for a link that fails. */
export interface Engine {
  readonly server: string;
  /** Calls the API. Throws TARGET_UNREACHABLE, TARGET_LOST, the signal's reason, and what the engine refused as it says it. */
  call<T>(work: (docker: Docker) => Promise<T>, signal: AbortSignal): Promise<T>;
}

/** A link that was never made: nothing was begun. */
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
      // The client leaves a call open for good when its connection ends in the middle of an answer.
      try {
        return await untilAborted(Promise.race([work(docker), ...(link ? [link.lost] : [])]), signal);
      } catch (error) {
        signal.throwIfAborted();
        throw linkError(server, error);
      }
    },
  };
}

/** The catalog's error for a failed link; everything else as it is. */
export function linkError(server: string, error: unknown): unknown {
  if (error instanceof AppError || !(error instanceof Error) || statusOf(error) !== null) return error;
  const code = systemCode(error);
  const detail = code === '' ? error.message : code;
  return new AppError(NEVER_THERE.has(code) ? 'TARGET_UNREACHABLE' : 'TARGET_LOST', { server, detail }, error);
}

/** What the engine answered, as an HTTP status; null for another failure. */
export function statusOf(error: unknown): number | null {
  if (!(error instanceof Error) || !('statusCode' in error)) return null;
  return typeof error.statusCode === 'number' ? error.statusCode : null;
}

/** Null in place of what the engine does not have. */
export async function orNull<T>(asked: Promise<T>): Promise<T | null> {
  try {
    return await asked;
  } catch (error) {
    if (statusOf(error) === 404) return null;
    throw error;
  }
}
