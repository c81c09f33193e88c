import { AppError } from '@signalbox/contracts/errors';
import { computeBackoffMs, MINUTE_MS, SECOND_MS, sleep } from '@signalbox/contracts/time';
import { explainError } from '@signalbox/messages/say';
import { runInBackground, type RegisterClosable } from '@signalbox/platform/lifecycle';
import type { Log } from '@signalbox/platform/log';
import { endFault, reportFault } from '@signalbox/store/faults';
import type { Pool } from '@signalbox/store/pool';
import type { ChannelListener } from './channel.ts';

/** A channel that was not opened, and why. */
export interface RefusedChannel {
  readonly name: string;
  readonly reason: string;
  /** Throws while the channel would be refused again; null where only a restart with other settings helps. */
  readonly check: (() => void) | null;
}

const REFUSED_LOG = 'a channel is refused, the others go on';
/** People fix a refused token within minutes or never. */
const REFUSED_BASE_MS = 5 * SECOND_MS;
const REFUSED_MAX_MS = 5 * MINUTE_MS;
/** How often a channel's state is checked: before it has worked, and later. */
const WATCH_MS = { first: SECOND_MS, later: 10 * SECOND_MS };
/** Delays between checks whether a missing file exists now. */
const CHECK_BASE_MS = 5 * SECOND_MS;
const CHECK_MAX_MS = MINUTE_MS;

/** Restarts the gateway in the same process, because a channel that was refused can be opened now. */
export class ChannelRecovered extends Error {}

/** Says in a sentence why a channel is refused. */
export function describeRefusal(error: unknown): string {
  if (!(error instanceof AppError)) return error instanceof Error ? error.message : String(error);
  const { reason, problems } = error.data as Readonly<Record<string, string>>; // the data of an error are texts
  return reason ?? problems ?? explainError(error);
}

/** Tracks whether a platform accepts the account; refusals are logged and reported to the admins through other channels. */
export function createRefusalTracker(parts: { readonly pool: Pool; readonly channel: string; readonly log: Log }) {
  const { pool, channel, log } = parts;
  let refusal: string | null = null;
  let failures = 0;
  let hasWorked = false;

  const refuse = (reason: string, error?: unknown): void => {
    if (reason !== refusal) log.error(REFUSED_LOG, { channel, reason, error });
    refusal = reason;
    runInBackground(log, 'refused channel', reportRefused(pool, channel, reason));
  };

  return {
    /** Why the channel is refused; null while it is accepted. */
    refusal: () => refusal,
    hasWorked: () => hasWorked,
    /** Notes the refusal and waits until the next try, with growing delays. */
    async refused(error: unknown, signal: AbortSignal): Promise<void> {
      refuse(describeRefusal(error), error);
      await sleep(computeBackoffMs(failures, REFUSED_BASE_MS, REFUSED_MAX_MS), signal);
      failures += 1;
    },
    /** Notices, until the signal fires, that the channel works, or is refused although updates arrive. */
    async watch(started: ChannelListener, over: AbortSignal): Promise<void> {
      // An earlier gateway may have reported a refusal that is still open.
      for (let mayBeOpen = true; !over.aborted; await sleep(mayBeOpen ? WATCH_MS.first : WATCH_MS.later, over)) {
        const foundRefusal = started.refusal?.() ?? null;
        if (foundRefusal !== null) refuse(foundRefusal);
        else if (started.problem() === null && (mayBeOpen || refusal !== null)) {
          if (refusal !== null) log.info('a channel that was refused works again', { channel });
          [refusal, failures, hasWorked] = [null, 0, true];
          mayBeOpen = !(await storeFault(log, endFault(pool, `channel-refused:${channel}`)));
        }
      }
    },
  };
}

/** Reports the channels that were not opened. Rejects with ChannelRecovered once one of them could be opened; never resolves. */
export function watchRefused(parts: {
  readonly refused: readonly RefusedChannel[];
  readonly own: RegisterClosable;
  readonly pool: Pool;
  readonly log: Log;
}): Promise<never> {
  const { refused, own, pool, log } = parts;
  const stop = new AbortController();
  for (const { name, reason } of refused) log.error(REFUSED_LOG, { channel: name, reason });
  const checks = refused.flatMap(({ check }) => check ?? []);
  const unreported = new Set(refused);
  const checkRefused = async (): Promise<void> => {
    for (let failures = 0; (checks.length > 0 || unreported.size > 0) && !stop.signal.aborted; failures += 1) {
      for (const one of unreported)
        if (await storeFault(log, reportRefused(pool, one.name, one.reason))) unreported.delete(one);
      await sleep(computeBackoffMs(failures, CHECK_BASE_MS, CHECK_MAX_MS), stop.signal);
      if (!stop.signal.aborted && checks.some(isPassing))
        throw new ChannelRecovered('what a channel lacked is there now');
    }
  };
  const checking = checkRefused();
  checking.catch(() => undefined); // the gateway awaits the returned promise too
  own({
    close: async () => {
      stop.abort();
      await checking.catch(() => undefined);
    },
  });
  return checking.then(() => new Promise<never>(() => undefined));
}

function reportRefused(pool: Pool, channel: string, reason: string): Promise<void> {
  return reportFault(pool, `channel-refused:${channel}`, `${channel}: ${reason}`);
}

/** True when Postgres stored the fault; otherwise the next round tries again. */
function storeFault(log: Log, writing: Promise<void>): Promise<boolean> {
  return writing.then(
    () => true,
    (error: unknown) => {
      log.warn('what is to be told of a channel is not written yet', { error });
      return false;
    },
  );
}

function isPassing(check: () => void): boolean {
  try {
    check();
    return true;
  } catch {
    return false; // the channel would still be refused
  }
}
