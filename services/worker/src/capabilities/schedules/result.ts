import { toPlainName } from '@signalbox/contracts/plain-name';
import { listNextRuns, type RunTimes } from '@signalbox/messages/schedule/next-runs';
import { sayMoment, sayWhen } from '@signalbox/messages/schedule/say-when';
import { say } from '@signalbox/messages/say';

/** What a tool tells of a schedule. */
export interface ScheduleResult {
  readonly number: number;
  readonly kind: 'reminder' | 'task';
  readonly task: string;
  readonly when: string;
  readonly state: string;
  readonly only_if_wrong: boolean;
  /** The next three runs, in the schedule's zone. */
  readonly next: readonly string[];
}

export const SCHEDULE_ORIGINS = {
  number: 'runtime',
  kind: 'runtime',
  task: 'outside',
  when: 'runtime',
  state: 'runtime',
  only_if_wrong: 'runtime',
  next: 'runtime',
} as const;

/** A stored schedule, as far as it is told. */
type ToldSchedule = RunTimes & {
  readonly id: number;
  readonly kind: 'reminder' | 'task';
  readonly task: string;
  readonly state: string;
  readonly quiet: boolean;
};

export function toScheduleResult({ id, kind, task, state, quiet, ...times }: ToldSchedule, now: Date): ScheduleResult {
  const next = state === 'active' ? listNextRuns(times, now, 3).map((at) => sayMoment(at, times.zone)) : [];
  return { number: id, kind, task, when: sayWhen(times), state, only_if_wrong: quiet, next };
}

/** One line about a schedule in a list. */
export function describeSchedule({ number, kind, task, when, state, only_if_wrong, next }: ScheduleResult): string {
  const values = { id: number, kind, task: toPlainName(task), when, state, isQuiet: only_if_wrong };
  return say('schedules.entry', { ...values, next: next[0] ?? '' });
}
