import { JOBS, type JobName, type JobSpec } from '@signalbox/contracts/operations/jobs';
import type { RunStore, LeasedRun, RunMessageOptions } from '@signalbox/store/turns/runs';
import { AppError } from '@signalbox/contracts/errors';
import type { Log } from '@signalbox/platform/log';
import type { JobContext } from './handlers.ts';
import type { SecretOpener } from './open-secret.ts';
import type { OpenedSecrets } from './opened-secrets.ts';

export interface Execution {
  readonly job: JobName;
  readonly runId: string;
  readonly attempt: number;
  readonly owner: JobContext['owner'];
  /** The claimed run; null for a scheduled execution, which has no row until its end. */
  readonly run: LeasedRun | null;
  readonly payload: unknown;
  readonly log: Log;
}

/** Creates the context of one execution. It calls `lost` when another process has the run. */
export function createJobContext(
  parts: {
    readonly runs: Pick<RunStore, 'report' | 'tell'>;
    readonly openSecret: SecretOpener;
    /** Notifies the gateway of messages for a chat. The sweeper covers failures. */
    readonly notify: (chat: { readonly chatKey: string; readonly traceId: string }) => Promise<void>;
  },
  execution: Execution,
  hold: {
    readonly signal: AbortSignal;
    readonly opened: OpenedSecrets;
    readonly lost: () => void;
    readonly sign: () => void;
  },
): JobContext {
  const { job, runId, attempt, owner, run, log } = execution;
  let told = 0;
  let telling: Promise<unknown> = Promise.resolve();

  const say = async (held: LeasedRun, text: string, slot: string, more: RunMessageOptions): Promise<void> => {
    // Keys contain the epoch, so another attempt's messages have other keys.
    const key = `${slot}:${held.epoch}:${(told += 1)}`;
    const said = await parts.runs.tell(held, { text: hold.opened.mask(text), slot, key, ...more });
    if (!said.held) return hold.lost();
    if (said.chat)
      await parts
        .notify(said.chat)
        .catch((error: unknown) => log.warn('message not published; the sweeper will publish it', { error }));
  };

  return {
    runId,
    attempt,
    owner,
    signal: hold.signal,
    log: listenTo(log, hold.sign),
    now: () => new Date(),
    progress: async (done, total) => {
      hold.sign();
      if (run !== null && !(await parts.runs.report(run, { done, total }))) hold.lost();
    },
    tell: (text, { slot, ...more }) => {
      hold.sign();
      if (run === null) return Promise.resolve();
      // Messages are sent in order, even when the handler does not await them: the newest text of a slot wins.
      const said = telling.then(() => say(run, text, slot, more));
      telling = said.catch(() => undefined);
      return said;
    },
    openSecret: async (handle, purpose, named) => {
      const spec: JobSpec = JOBS[job];
      if (named !== undefined && spec.pool !== 'deploy')
        throw new Error(`${job} named the owner of a secret: only jobs of the pool deploy may. Leave the owner out.`);
      const whose = named ?? owner?.userKey;
      if (whose === undefined) throw new AppError('SECRET_UNKNOWN', { handle });
      const actor = owner?.userKey ?? 'system';
      const threadId = owner?.threadId ?? null;
      const value = await parts.openSecret({ actor, threadId, runId, owner: whose, handle, purpose });
      hold.opened.add(value);
      return value;
    },
  };
}

/** Wraps the log, so that each line counts as progress. */
function listenTo(log: Log, sign: () => void): Log {
  const heard =
    (write: Log['info']): Log['info'] =>
    (message, fields) => {
      sign();
      write(message, fields);
    };
  return {
    debug: heard(log.debug),
    info: heard(log.info),
    warn: heard(log.warn),
    error: heard(log.error),
    child: (fields) => listenTo(log.child(fields), sign),
  };
}
