import type { AppError } from '@signalbox/contracts/errors';
import type { RegisterClosable } from './lifecycle.ts';
import type { Log } from './log.ts';
import type { Probe } from './probe.ts';
import { SECOND_MS, sleep, waitOrAbort } from '@signalbox/contracts/time';

/** Checks whether a server is usable. Returns a problem that an operator can fix on the server; throws when waiting cannot help. */
export type ServerCheck = () => Promise<AppError | null>;

const RETRY_MS = 3 * SECOND_MS;

/**
 * Waits until all servers that a service needs are usable. Every three seconds, the log and /readyz say which is missing and what to do:
 * it is away, refuses the login, or lacks its database or migrations. All of that is fixed on the server, so the service need not be
 * restarted. Throws at once what a check throws; closing the parts of `own` ends the wait.
 */
export async function waitForServers(options: {
  readonly checks: readonly ServerCheck[];
  readonly probe: Probe;
  readonly own: RegisterClosable;
  readonly log: Log;
}): Promise<void> {
  const { checks, probe, log } = options;
  const closing = new AbortController();
  options.own({ close: () => Promise.resolve(closing.abort()) });
  for (let round = 0; ; round += 1) {
    const problems = await waitOrAbort(Promise.all(checks.map((check) => check())), closing.signal).catch(
      (error: unknown) => {
        if (!closing.signal.aborted) throw error;
        return new Promise<never>(() => undefined); // the process is about to exit
      },
    );
    const missing = problems.filter((problem) => problem !== null);
    if (missing.length === 0) {
      if (round > 0) log.info('every server can be used; the service starts');
      return;
    }
    const reasons = missing.map(({ code, message }) => `${message} (${code})`);
    probe.wait(reasons);
    log.warn('waiting', { reasons });
    await sleep(RETRY_MS, closing.signal);
  }
}
