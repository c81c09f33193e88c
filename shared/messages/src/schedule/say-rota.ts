import { toPlainName } from '@signalbox/contracts/plain-name';
import { sayList } from '../list.ts';
import { say } from '../say.ts';
import { sayMoment, sayWhen } from './say-when.ts';

/** What people are told of a rota; moments as ISO 8601. */
export interface RotaSummary {
  readonly rota: string;
  readonly projects: readonly string[];
  readonly people: readonly string[];
  /** Null when nobody of it can be reached. */
  readonly onCall: string | null;
  /** Null when nobody else takes over. */
  readonly until: string | null;
  readonly next: string | null;
  readonly zone: string;
  readonly weekday: number | null;
  readonly clock: string;
  readonly escalateMinutes: number;
  readonly covers: readonly { readonly name: string; readonly from: string; readonly until: string }[];
}

/** Says for which projects a rota is. */
export function sayScope({ projects }: Pick<RotaSummary, 'projects'>): string {
  return say('oncall.scope', { count: projects.length, projects: sayList(projects.map(toPlainName)) });
}

/** Says when a rota hands over. */
export function sayRhythm({ weekday, clock, zone }: Pick<RotaSummary, 'weekday' | 'clock' | 'zone'>): string {
  const [hour, minute] = clock.split(':').map(Number);
  return sayWhen({ pattern: `${minute} ${hour} * * ${weekday ?? '*'}`, at: null, zone });
}

/** Says who is on call in a rota, until when, who is next, and who covers. */
export function sayRota(summary: RotaSummary): string {
  const { rota, people, onCall, until, next, zone, escalateMinutes: minutes, covers } = summary;
  const moment = (at: string): string => sayMoment(new Date(at), zone);
  return [
    say('oncall.entry', {
      rota,
      scope: sayScope(summary),
      hasDuty: onCall !== null,
      name: onCall ?? '',
      hasUntil: until !== null && next !== null,
      until: until === null ? '' : moment(until),
      zone,
      next: next ?? '',
      people: sayList(people),
      when: sayRhythm(summary),
      minutes,
    }),
    ...covers.map((one) =>
      say('oncall.cover', { name: one.name, from: moment(one.from), until: moment(one.until), zone }),
    ),
  ].join('\n');
}
