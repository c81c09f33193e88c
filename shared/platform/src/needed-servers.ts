import type { AppError } from '@signalbox/contracts/errors';
import type { Own } from './lifecycle.ts';
import type { Log } from './log.ts';
import type { Probe } from './probe.ts';
import { SECOND_MS, sleep, untilAborted } from '@signalbox/contracts/time';

/** Asks a server whether it can be used. Returns what is wrong and may be mended there; throws what no waiting mends. */
export type ServerCheck = () => Promise<AppError | null>;

const AGAIN_MS = 3 * SECOND_MS;

/**
 * Waits until all servers that a service needs can be used. Every three seconds a line and /readyz say what is missing and what to do:
 * a server that is away or refuses the login, a database that does not exist or was not migrated. All of that is mended on the server,
 * so the service need not be started again. Throws what a check throws, at once; closing `own`'s parts ends the wait.
 */
export async function waitForServers(options: {
  readonly checks: readonly ServerCheck[];
  readonly probe: Probe;
  readonly own: Own;
  readonly log: Log;
}): Promise<void> {
  const { checks, probe, log } = options;
  const closing = new AbortController();
  options.own({ close: () => Promise.resolve(closing.abort()) });
  for (let round = 0; ; round += 1) {
    const found = await untilAborted(Promise.all(checks.map((check) => check())), closing.signal).catch(
      (error: unknown) => {
        if (!closing.signal.aborted) throw error;
        return new Promise<never>(() => undefined); // closing ends the process
      },
    );
    const missing = found.filter((one) => one !== null);
    if (missing.length === 0) {
      if (round > 0) log.info('every server can be used; the service starts');
      return;
    }
    const reasons = missing.map(({ code, message }) => `${message} (${code})`);
    probe.wait(reasons);
    log.warn('waiting', { reasons });
    await sleep(AGAIN_MS, closing.signal);
  }
}
