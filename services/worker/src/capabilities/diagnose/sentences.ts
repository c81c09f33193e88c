import type { ServiceHealthResult } from '@signalbox/contracts/operations/operations';
import { toCodeBlock } from '@signalbox/contracts/markdown';
import { sayDuration, formatSeconds } from '@signalbox/messages/duration';
import { say } from '@signalbox/messages/say';

/** The characters of a log that a person is shown; the model gets the whole log. */
const SHOWN = 3_000;

export function describeVerdict({ project, environment, verdict, because, lacks }: ServiceHealthResult): string {
  const state = verdict === 'nothing-deployed' ? 'none' : verdict;
  const told = say('diagnose.verdict', { project, environment, verdict: state, because });
  return lacks === null ? told : `${told} ${lacks}`;
}

export function describeHealth(health: ServiceHealthResult): readonly string[] {
  const { proxy, instance, process, release, usualLatencyMs, diskFreeMb, errorsLastHour } = health;
  const asks = [
    ...(proxy ? [say('diagnose.throughProxy', { answer: answered(proxy) })] : []),
    ...(instance ? [say('diagnose.atInstance', { answer: answered(instance) })] : []),
    ...(usualLatencyMs === null ? [] : [say('diagnose.usually', { time: formatSeconds(usualLatencyMs) })]),
  ];
  return [
    ...(asks.length > 0 ? [asks.join('; ')] : []),
    ...(release === null ? [] : [reported(health)]),
    ...(process
      ? [
          say('diagnose.program', {
            state: described(process),
            hasDisk: diskFreeMb !== null,
            disk: megabytes(diskFreeMb ?? 0),
          }),
        ]
      : []),
    say('diagnose.errorsLastHour', { errors: errorsLastHour }),
  ];
}

function answered({ status, latencyMs, error }: NonNullable<ServiceHealthResult['proxy']>): string {
  if (status === null) return error ?? say('diagnose.noAnswer');
  return say('diagnose.answered', { status, time: formatSeconds(latencyMs ?? 0) });
}

function reported({ release, reportedRelease }: ServiceHealthResult): string {
  const values = { release: formatCode(release ?? ''), reported: formatCode(reportedRelease ?? '') };
  if (reportedRelease === null) return say('diagnose.release', values);
  return say(reportedRelease === release ? 'diagnose.releaseAnswers' : 'diagnose.otherAnswers', values);
}

function described({
  running,
  restarts,
  exitCode,
  oom,
  memoryMb,
}: NonNullable<ServiceHealthResult['process']>): string {
  if (oom) return say('diagnose.outOfMemory');
  if (!running) return exitCode === null ? say('diagnose.notRunning') : say('diagnose.endedWith', { exitCode });
  const memory = { hasMemory: memoryMb !== null, memory: megabytes(memoryMb ?? 0) };
  return say('diagnose.running', { restarts: restarts ?? 0, ...memory });
}

export const sayAgo = (at: Date | string, now: Date): string =>
  say('diagnose.ago', { time: sayDuration(Math.max(0, now.getTime() - new Date(at).getTime())) });

/** Formats the newest log lines that fit as a code block, which no line can close early. */
export function toLogBlock(lines: readonly string[]): string {
  const kept: string[] = [];
  let room = SHOWN;
  for (const line of lines.toReversed()) {
    const text = line.slice(0, 400);
    if ((room -= text.length + 1) < 0) break;
    kept.unshift(text);
  }
  return toCodeBlock(kept.join('\n'));
}

export const formatCode = (text: string): string => `\`${text.replace(/[`\s]+/g, ' ').trim()}\``;

const megabytes = (mb: number): string =>
  mb < 1_024 ? `${Math.round(mb)} MB` : `${(mb / 1_024).toFixed(1).replace(/\.0$/, '')} GB`;
