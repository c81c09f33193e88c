import type { ServerAccess } from '@signalbox/store/deploy/deployments-placement';
import type { ServerProbe, ServerProbeStore, WatchedServer } from './server-probes.ts';
import { AppError } from '@signalbox/contracts/errors';
import { SECOND_MS, abortAfter } from '@signalbox/contracts/time';
import { sayDuration } from '@signalbox/messages/duration';
import { explainError, say } from '@signalbox/messages/say';
import type { Driver, EndedCommand } from '../drivers/driver.ts';
import type { JobContext } from '../runner/handlers.ts';

export interface MachineDeps {
  readonly probes: ServerProbeStore;
  readonly openDriver: (target: ServerAccess, context: Pick<JobContext, 'openSecret'>) => Promise<Driver>;
}

const PROBE_MS = 20 * SECOND_MS;

/** Says how many lost commands were ended, without naming them; empty for none. */
export function describeEndedCommands(ended: readonly EndedCommand[]): string {
  if (ended.length === 0) return '';
  const longest = sayDuration(Math.max(...ended.map(({ ranMs }) => ranMs)));
  return say('servers.endedCommands', { count: ended.length, longest });
}

/** Measures a server, and kills commands of lost connections that still run. Throws only when the job is aborted. */
export async function probeServer(
  parts: MachineDeps,
  { name, host, driver, connection, hostKey }: WatchedServer,
  context: Pick<JobContext, 'signal' | 'openSecret' | 'log'>,
): Promise<ServerProbe> {
  if (driver === null) return { kind: 'unknown', detail: say('servers.bookedOnly', { server: name }), hostKey: null };
  const signal = AbortSignal.any([context.signal, abortAfter(PROBE_MS)]);
  let opened: Driver | null = null;
  try {
    opened = await parts.openDriver({ server: name, serverHost: host, driver, connection, hostKey }, context);
    const inventory = await opened.inspect(signal);
    const ended = (await opened.endLost?.(signal)) ?? [];
    if (ended.length > 0)
      context.log.warn('commands ended that ran on after their link was lost', { server: name, ended });
    return { kind: 'up', inventory, ended };
  } catch (error) {
    context.signal.throwIfAborted();
    return describeFailure(name, error, context);
  } finally {
    await opened?.close();
  }
}

function describeFailure(name: string, error: unknown, { log }: Pick<JobContext, 'log'>): ServerProbe {
  if (error instanceof AppError) {
    const shown = 'fingerprint' in error.data ? error.data.fingerprint : null;
    const kind = error.code === 'HOST_KEY_UNKNOWN' ? 'unknown' : 'down';
    return { kind, detail: explainError(error), hostKey: shown };
  }
  if (error instanceof DOMException && error.name === 'TimeoutError')
    return {
      kind: 'down',
      detail: say('servers.noAnswerWithin', { server: name, seconds: PROBE_MS / SECOND_MS }),
      hostKey: null,
    };
  // The text of an unknown error may contain secrets, so it goes to the log only.
  log.warn('server not measured', { server: name, error });
  return { kind: 'down', detail: say('servers.notMeasured', { server: name }), hostKey: null };
}
