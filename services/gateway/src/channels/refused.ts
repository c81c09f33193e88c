import { AppError } from '@signalbox/contracts/errors';
import { backoffMs, MINUTE_MS, SECOND_MS, sleep } from '@signalbox/contracts/time';
import { explain } from '@signalbox/messages/say';
import { background, type Own } from '@signalbox/platform/lifecycle';
import type { Log } from '@signalbox/platform/log';
import { endFault, reportFault } from '@signalbox/store/faults';
import type { Pool } from '@signalbox/store/pool';
import type { Listening } from './channel.ts';

/** A channel that was not opened, and why. The others are. */
export interface RefusedChannel {
  readonly name: string;
  readonly reason: string;
  /** Throws as long as it would be refused again; null where nothing but a start with other settings helps. */
  readonly check: (() => void) | null;
}

const REFUSED = 'a channel is refused, the others go on';
/** A token that is refused is mended by people: within minutes, or never. */
const REFUSED_BASE_MS = 5 * SECOND_MS;
const REFUSED_MAX_MS = 5 * MINUTE_MS;
/** How soon a channel that begins is seen to work, and one that works to be refused. */
const LOOK_MS = { first: SECOND_MS, later: 10 * SECOND_MS };
/** How soon it is looked again whether somebody has mended what a channel lacks. */
const CHECK_BASE_MS = 5 * SECOND_MS;
const CHECK_MAX_MS = MINUTE_MS;

/** What ends the gateway for a new start, in the same process: what a channel lacked is there now. */
export class ChannelMended extends Error {}

/** Why a channel is refused, in words. */
export function describeRefusal(error: unknown): string {
  if (!(error instanceof AppError)) return error instanceof Error ? error.message : String(error);
  const { reason, problems } = error.data as Readonly<Record<string, string>>; // the data of an error are texts
  return reason ?? problems ?? explain(error);
}

/** Whether a platform takes our account: what is refused is said, and the admins are told where another channel reaches them. */
export function createStanding(parts: { readonly pool: Pool; readonly channel: string; readonly log: Log }) {
  const { pool, channel, log } = parts;
  let refusal: string | null = null;
  let failures = 0;
  let hasWorked = false;

  const refuse = (reason: string, error?: unknown): void => {
    if (reason !== refusal) log.error(REFUSED, { channel, reason, error });
    refusal = reason;
    background(log, 'refused channel', reportRefused(pool, channel, reason));
  };

  return {
    /** Why it is refused; null while it is not. */
    refusal: () => refusal,
    hasWorked: () => hasWorked,
    /** Waits until it may be tried again, ever longer. */
    async refused(error: unknown, signal: AbortSignal): Promise<void> {
      refuse(describeRefusal(error), error);
      await sleep(backoffMs(failures, REFUSED_BASE_MS, REFUSED_MAX_MS), signal);
      failures += 1;
    },
    /** Sees that it works, and that it is refused although updates come in; until the signal. */
    async watch(started: Listening, over: AbortSignal): Promise<void> {
      // An earlier gateway may have told of a refusal that nobody has ended.
      for (let mayStand = true; !over.aborted; await sleep(mayStand ? LOOK_MS.first : LOOK_MS.later, over)) {
        const found = started.refusal?.() ?? null;
        if (found !== null) refuse(found);
        else if (started.problem() === null && (mayStand || refusal !== null)) {
          if (refusal !== null) log.info('a channel that was refused works again', { channel });
          [refusal, failures, hasWorked] = [null, 0, true];
          mayStand = !(await isWritten(log, endFault(pool, `channel-refused:${channel}`)));
        }
      }
    },
  };
}

/** Says what was not opened, and rejects with ChannelMended once one of them could be. Never resolves. */
export function watchRefused(parts: {
  readonly refused: readonly RefusedChannel[];
  readonly own: Own;
  readonly pool: Pool;
  readonly log: Log;
}): Promise<never> {
  const { refused, own, pool, log } = parts;
  const stop = new AbortController();
  for (const { name, reason } of refused) log.error(REFUSED, { channel: name, reason });
  const checks = refused.flatMap(({ check }) => check ?? []);
  const unsaid = new Set(refused);
  const look = async (): Promise<void> => {
    for (let failures = 0; (checks.length > 0 || unsaid.size > 0) && !stop.signal.aborted; failures += 1) {
      for (const one of unsaid) if (await isWritten(log, reportRefused(pool, one.name, one.reason))) unsaid.delete(one);
      await sleep(backoffMs(failures, CHECK_BASE_MS, CHECK_MAX_MS), stop.signal);
      if (!stop.signal.aborted && checks.some(passes)) throw new ChannelMended('what a channel lacked is there now');
    }
  };
  const looking = look();
  looking.catch(() => undefined); // the gateway awaits it too
  own({
    close: async () => {
      stop.abort();
      await looking.catch(() => undefined);
    },
  });
  return looking.then(() => new Promise<never>(() => undefined));
}

/** Has the admins told; once while it lasts. */
function reportRefused(pool: Pool, channel: string, reason: string): Promise<void> {
  return reportFault(pool, `channel-refused:${channel}`, `${channel}: ${reason}`);
}

/** Whether a fault is as it should be in Postgres; one that is not is written at the next look. */
function isWritten(log: Log, writing: Promise<void>): Promise<boolean> {
  return writing.then(
    () => true,
    (error: unknown) => {
      log.warn('what is to be told of a channel is not written yet', { error });
      return false;
    },
  );
}

function passes(check: () => void): boolean {
  try {
    check();
    return true;
  } catch {
    return false; // it is refused still, as was said
  }
}
