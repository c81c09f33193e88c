import type { LogLine } from '@signalbox/contracts/operations/deploy';
import type { ServiceHealthResult } from '@signalbox/contracts/operations/operations';
import { sayDuration } from '@signalbox/messages/duration';

/** Characters of a log that a person is shown; the model gets all of it. */
const SHOWN = 3_000;

/** What was measured of a service, a line each. */
export function describeHealth(health: ServiceHealthResult): readonly string[] {
  const { proxy, instance, process, release, usualLatencyMs, diskFreeMb, errorsLastHour } = health;
  const asks = [
    ...(proxy ? [`through the proxy: ${answered(proxy)}`] : []),
    ...(instance ? [`at the instance: ${answered(instance)}`] : []),
    ...(usualLatencyMs === null ? [] : [`usually ${inSeconds(usualLatencyMs)}`]),
  ];
  return [
    ...(asks.length > 0 ? [asks.join('; ')] : []),
    ...(release === null ? [] : [`release ${code(release)}${reported(health)}`]),
    ...(process
      ? [`program: ${described(process)}${diskFreeMb === null ? '' : `; ${megabytes(diskFreeMb)} of disk free`}`]
      : []),
    `errors in the last hour: ${errorsLastHour}`,
  ];
}

function answered({ status, latencyMs, error }: NonNullable<ServiceHealthResult['proxy']>): string {
  return status === null ? (error ?? 'no answer') : `${status} in ${inSeconds(latencyMs ?? 0)}`;
}

function reported({ release, reportedRelease }: ServiceHealthResult): string {
  if (reportedRelease === null) return '';
  return reportedRelease === release ? ', and it says so itself' : `, but ${code(reportedRelease)} answers`;
}

function described({
  running,
  restarts,
  exitCode,
  oom,
  memoryMb,
}: NonNullable<ServiceHealthResult['process']>): string {
  if (oom) return 'ended, out of memory';
  if (!running) return exitCode === null ? 'not running' : `ended with code ${exitCode}`;
  const parts = [
    'running',
    ...(restarts ? [`started again ${count(restarts, 'time')}`] : []),
    ...(memoryMb === null ? [] : [megabytes(memoryMb)]),
  ];
  return parts.join(', ');
}

/** `20 ms`, `1.5 s`. */
function inSeconds(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1).replace(/\.0$/, '')} s`;
}

/** `4 min ago`. */
export const ago = (at: Date | string, now: Date): string =>
  `${sayDuration(Math.max(0, now.getTime() - new Date(at).getTime()))} ago`;

/** Lines of a log in a block that they cannot end, the newest that fit. */
export function logBlock(lines: readonly Pick<LogLine, 'line' | 'at'>[]): string {
  const kept: string[] = [];
  let room = SHOWN;
  for (const { line, at } of [...lines].reverse()) {
    const text = `${at === null ? '' : `${at.slice(11, 19)} `}${line}`.slice(0, 400);
    if ((room -= text.length + 1) < 0) break;
    kept.unshift(text);
  }
  return fence(kept.join('\n'));
}

export function fence(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const marks = '`'.repeat(longest + 1);
  return `${marks}\n${text}\n${marks}`;
}

/** Words of outside inside a sentence. */
export const code = (text: string): string => `\`${text.replace(/[`\s]+/g, ' ').trim()}\``;

const megabytes = (mb: number): string =>
  mb < 1_024 ? `${Math.round(mb)} MB` : `${(mb / 1_024).toFixed(1).replace(/\.0$/, '')} GB`;

export function count(n: number, noun: string): string {
  return n === 1 ? `1 ${noun}` : `${n} ${noun}s`;
}
