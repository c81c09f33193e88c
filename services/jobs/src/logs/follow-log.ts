import type { LogLine } from '@signalbox/contracts/operations/deploy';
import type { JobPayload } from '@signalbox/contracts/operations/jobs';
import { endFollowedLogs, readFollowState } from '@signalbox/store/deploy/followed-logs';
import type { Pool } from '@signalbox/store/pool';
import { toAppError } from '@signalbox/contracts/errors';
import { SECOND_MS, abortAfter, sleep } from '@signalbox/contracts/time';
import { sayDuration } from '@signalbox/messages/duration';
import { say } from '@signalbox/messages/say';
import type { LogRedactor } from './read-lines.ts';
import type { Driver, ProgramInstance } from '../drivers/driver.ts';
import type { JobContext } from '../runner/handlers.ts';

/** Limits of a followed log's message: lines, characters, and the interval of its edits. */
const SHOWN_LINES = 25;
const SHOWN = 3_000;
const EDIT_MS = 2 * SECOND_MS;

/** Shows new log lines in one chat message until the time is over, the log ends, or somebody stops it. */
export async function followLog(
  { driver, instance, mask, pool }: { driver: Driver; instance: ProgramInstance; mask: LogRedactor; pool: Pool },
  payload: JobPayload<'service.logs'>,
  wanted: (line: LogLine) => boolean,
  context: JobContext,
): Promise<void> {
  const { runId, owner, signal } = context;
  if (owner) await endFollowedLogs(pool, { userKey: owner.userKey, butRunId: runId });
  const wholeMs = payload.followSeconds * SECOND_MS;
  const { ageMs } = await readFollowState(pool, runId);
  const begun = performance.now() - ageMs;
  const ended = new AbortController();
  const timeIsUp = abortAfter(Math.max(1, Math.ceil(wholeMs - ageMs)));
  const over = AbortSignal.any([signal, ended.signal, timeIsUp]);
  const lines: string[] = [];
  let said = '';
  const show = async (state: string, isOver = false): Promise<void> => {
    const head = say('diagnose.followedLog', { project: payload.project, environment: payload.environment });
    const shown = lines.length === 0 ? say('diagnose.followedNothing') : lines.join('\n').slice(-SHOWN);
    const text = `${head}\n\n${fence(shown)}\n${state}`;
    if (text === said) return;
    said = text;
    const buttons = isOver ? [] : [{ label: say('diagnose.followedStop'), value: 'stop', ends: runId }];
    await context
      .tell(text, { slot: 'log', buttons, isLast: isOver })
      .catch((error: unknown) => context.log.warn('log not told', { error }));
  };
  const going = `_${say('diagnose.followedGoesOn', { time: sayDuration(wholeMs) })}_`;
  const showing = (async (): Promise<void> => {
    while (!over.aborted) {
      await show(going);
      await sleep(EDIT_MS, over);
    }
  })();
  let broken: unknown = null;
  try {
    for await (const line of driver.logs(instance, { tail: 0, follow: true, signal: over })) {
      if (!wanted(line)) continue;
      lines.push(mask(line.line));
      if (lines.length > SHOWN_LINES) lines.shift();
    }
  } catch (error) {
    if (!over.aborted) broken = error;
  }
  const isTimeOver = timeIsUp.aborted; // The wall clock may be a millisecond behind the timer, so the timer decides.
  ended.abort();
  await showing;
  const { isStopped } = await readFollowState(pool, runId);
  // Another process continues in the same message.
  if (signal.aborted && !isStopped) signal.throwIfAborted();
  const took = sayDuration(Math.min(performance.now() - begun, wholeMs));
  await show(`_${say('diagnose.followedEnd', { how: howEnded(isStopped, broken !== null, isTimeOver), took })}_`, true);
  if (broken !== null && !isStopped) throw toAppError(broken, runId);
}

function howEnded(isStopped: boolean, isBroken: boolean, isTimeOver: boolean): 'stopped' | 'broken' | 'over' | 'ended' {
  if (isStopped) return 'stopped';
  if (isBroken) return 'broken';
  return isTimeOver ? 'over' : 'ended';
}

function fence(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const marks = '`'.repeat(longest + 1);
  return `${marks}\n${text}\n${marks}`;
}
