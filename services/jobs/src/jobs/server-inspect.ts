import type { PlacedTarget } from '@signalbox/store/deploy/deployments-placement';
import type { ServerLook, ServerProbes, WatchedServer } from '../health/server-probes.ts';
import { AppError } from '@signalbox/contracts/errors';
import { SECOND_MS, abortAfter } from '@signalbox/contracts/time';
import { sayDuration } from '@signalbox/messages/duration';
import { explain, say } from '@signalbox/messages/say';
import type { Driver, EndedCommand } from '../drivers/driver.ts';
import type { JobContext, HandlerOf } from '../runner/handlers.ts';

export interface ServerLookParts {
  readonly looks: ServerProbes;
  readonly openDriver: (target: PlacedTarget, context: Pick<JobContext, 'openSecret'>) => Promise<Driver>;
}

const LOOK_MS = 20 * SECOND_MS;

/** Measures one server and writes down what was found. Running it again measures again. */
export function createServerInspect(parts: ServerLookParts): HandlerOf<'server.inspect'> {
  return {
    title: () => say('jobs.lookingAtAServer'),
    run: async ({ server: name }, context) => {
      const server = await parts.looks.get(name);
      const look = await probeServer(parts, server, context);
      context.signal.throwIfAborted();
      await parts.looks.save(name, look);
      if (look.kind === 'up') {
        const { hostKey } = server;
        const hostKeyTrusted = hostKey === null ? null : true;
        const detail = describeEnded(look.ended);
        return { server: name, reached: true, inventory: look.inventory, hostKey, hostKeyTrusted, detail };
      }
      const { detail, hostKey } = look;
      const hostKeyTrusted = hostKey === null ? null : false;
      return { server: name, reached: false, inventory: null, hostKey, hostKeyTrusted, detail };
    },
    say: ({ server, reached, detail }) => (reached ? `I measured ${server}. ${detail}`.trim() : detail),
  };
}

/** What was ended, as a sentence without a word of what ran there; empty for nothing. */
export function describeEnded(ended: readonly EndedCommand[]): string {
  if (ended.length === 0) return '';
  const longest = sayDuration(Math.max(...ended.map(({ ranMs }) => ranMs)));
  return say('servers.endedCommands', { count: ended.length, longest });
}

/** Reaches a server and measures it. What commands of lost links have left running there is ended. What it finds is an answer too: only an abort of the job throws. */
export async function probeServer(
  parts: ServerLookParts,
  { name, host, driver, connection, hostKey }: WatchedServer,
  context: Pick<JobContext, 'signal' | 'openSecret' | 'log'>,
): Promise<ServerLook> {
  if (driver === null) return { kind: 'unknown', detail: say('servers.bookedOnly', { server: name }), hostKey: null };
  const signal = AbortSignal.any([context.signal, abortAfter(LOOK_MS)]);
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
    return judge(name, error, context);
  } finally {
    await opened?.close();
  }
}

function judge(name: string, error: unknown, { log }: Pick<JobContext, 'log'>): ServerLook {
  if (error instanceof AppError) {
    const shown = 'fingerprint' in error.data ? error.data.fingerprint : null;
    const kind = error.code === 'HOST_KEY_UNKNOWN' ? 'unknown' : 'down';
    return { kind, detail: explain(error), hostKey: shown };
  }
  if (error instanceof DOMException && error.name === 'TimeoutError')
    return {
      kind: 'down',
      detail: say('servers.noAnswerWithin', { server: name, seconds: LOOK_MS / SECOND_MS }),
      hostKey: null,
    };
  // Such as an engine that refuses to say how it is: its own words may hold anything, so they are for the log.
  log.warn('server not measured', { server: name, error });
  return { kind: 'down', detail: say('servers.notMeasured', { server: name }), hostKey: null };
}
