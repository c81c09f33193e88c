import type { ServiceHealthResult } from '@signalbox/contracts/operations/operations';
import { sayDuration, formatSeconds } from '@signalbox/messages/duration';
import { say } from '@signalbox/messages/say';
import type { CrashLoop, CrashHistory } from './crash-loop.ts';

/** Measurements of a probed service; see ServiceHealthResult. */
export type HealthMeasurements = Omit<ServiceHealthResult, 'verdict' | 'because' | 'project' | 'environment'> & {
  /** `errorsLately`: errors in the last five minutes; `errorsUsually`: the usual number in that time. */
  readonly errorsLately: number;
  readonly errorsUsually: number;
  readonly newRestarts: number;
  readonly crashLoop: CrashLoop | null;
  readonly crashes: CrashHistory;
  /** For how long this process was late while it probed; that time belongs to no service. */
  readonly lagMs: number;
  /** How long the probe waited for an answer that did not come in time; null when it came, or was refused. */
  readonly timedOutMs: number | null;
  /** Why the proxy gave no answer, in the current language. */
  readonly sayProblem: (() => string) | null;
};

/** Kinds of trouble, worst first. */
export type TroubleKind =
  'crash-loop' | 'oom' | 'exited' | 'down' | 'wrong-release' | 'restarts' | 'slow' | 'errors' | 'disk';

export interface Verdict {
  readonly verdict: ServiceHealthResult['verdict'];
  readonly because: string;
  readonly kind: TroubleKind | null;
  readonly isStopped?: boolean;
}

/** A response is slow when it takes this many times the usual latency, and longer than people notice. */
const SLOW_TIMES = 4;
const SLOW_FROM_MS = 500;
/** A response is slow above this time when the service has no usual latency. */
const SLOW_ALONE_MS = 3_000;
/** This many errors in five minutes are too many when they are also five times the usual number. */
const BURST = 20;
const BURST_TIMES = 5;
const DISK_LOW_MB = 200;

/** Judges measurements by their worst trouble. The sentence names the measured value. Pure. */
export function judgeHealth(found: HealthMeasurements): Verdict {
  if (found.release === null) return well('nothing-deployed', say('health.nothingDeployed'));
  const { process, proxy, instance } = found;
  const trouble = (verdict: 'down' | 'degraded', kind: TroubleKind, because: string): Verdict => ({
    verdict,
    kind,
    because,
  });
  if (found.crashLoop)
    return { ...trouble('down', 'crash-loop', describeLoop(found.crashLoop)), isStopped: found.crashLoop.isStopped };
  if (process?.oom) return trouble('down', 'oom', say('health.outOfMemory'));
  if (process && !process.running) {
    const code = { isCodeKnown: process.exitCode !== null, exitCode: process.exitCode ?? '' };
    return trouble('down', 'exited', say('health.ended', code));
  }
  if (proxy && proxy.status === null) {
    const error = found.sayProblem?.() ?? proxy.error ?? say('health.noAnswerError');
    return trouble('down', 'down', say('health.noAnswer', { isInstanceWell: instance?.status === 200, error }));
  }
  if (proxy && proxy.status !== null && proxy.status >= 400)
    return trouble('down', 'down', say('health.badStatus', { status: proxy.status }));
  if (proxy && found.reportedRelease !== null && found.reportedRelease !== found.release)
    return trouble(
      'down',
      'wrong-release',
      say('health.otherRelease', { reported: found.reportedRelease, release: found.release }),
    );
  if (found.newRestarts > 0)
    return trouble('degraded', 'restarts', say('health.restarted', { times: found.newRestarts }));
  const latencyMs = proxy?.latencyMs ?? null;
  const usual = found.usualLatencyMs;
  if (latencyMs !== null && isSlow(latencyMs, usual)) {
    const compared = { isUsualKnown: usual !== null, usual: usual === null ? '' : formatSeconds(usual) };
    return trouble('degraded', 'slow', say('health.slow', { time: formatSeconds(latencyMs), ...compared }));
  }
  if (found.errorsLately >= BURST && found.errorsLately >= found.errorsUsually * BURST_TIMES)
    return trouble('degraded', 'errors', say('health.errors', { errors: found.errorsLately }));
  if (found.diskFreeMb !== null && found.diskFreeMb < DISK_LOW_MB)
    return trouble('degraded', 'disk', say('health.diskLow', { free: found.diskFreeMb }));
  const timed = { isTimed: latencyMs !== null, time: latencyMs === null ? '' : formatSeconds(latencyMs) };
  return well('healthy', say('health.healthy', { release: found.release, ...timed, isProbed: proxy !== null }));
}

function describeLoop({ restarts, withinMs, isStopped }: CrashLoop): string {
  const values = { times: restarts, within: sayDuration(withinMs) };
  return isStopped ? say('health.crashLoopStopped', values) : say('health.crashLoop', values);
}

/** True when a response took far longer than usual. */
export function isSlow(latencyMs: number, usualMs: number | null): boolean {
  return usualMs === null ? latencyMs >= SLOW_ALONE_MS : latencyMs >= SLOW_FROM_MS && latencyMs >= usualMs * SLOW_TIMES;
}

function well(verdict: 'healthy' | 'nothing-deployed', because: string): Verdict {
  return { verdict, because, kind: null };
}
