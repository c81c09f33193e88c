import { resolveWhen, toLocalTime } from './next-runs.ts';

/** Turns of people by the clock of a zone. */
export interface TurnPlan {
  /** In the order of their turns. */
  readonly people: readonly string[];
  /** Day of the hand-over, 0 is Sunday; null: every day. */
  readonly weekday: number | null;
  /** Time of the hand-over, such as `09:00`. */
  readonly clock: string;
  readonly zone: string;
  /** Local date on which the turn of the first person began, such as `2026-11-30`. */
  readonly firstDay: string;
}

export interface Turn {
  /** Place of its person in the plan. */
  readonly place: number;
  readonly from: Date;
  readonly until: Date;
}

const DAY_MS = 86_400_000;

/** Finds whose turn it is at a moment. A hand-over that a change of clocks leaves out is right after it. Pure. */
export function findTurn(plan: TurnPlan, at: Date): Turn {
  const days = countDays(plan.firstDay, toLocalTime(at, plan.zone).date);
  let number = Math.floor(days / getPeriodDays(plan)) + 1;
  while (getStart(plan, number) > at) number -= 1;
  const { length } = plan.people;
  const place = ((number % length) + length) % length;
  return { place, from: getStart(plan, number), until: getStart(plan, number + 1) };
}

/** Returns the local date on which the turn at a moment began: `firstDay` of a plan whose first person is on call then. Pure. */
export function findFirstDay({ weekday, clock, zone }: Omit<TurnPlan, 'people' | 'firstDay'>, at: Date): string {
  const today = toLocalTime(at, zone).date;
  const ahead = weekday === null ? 0 : (weekday - new Date(`${today}T12:00:00Z`).getUTCDay() + 7) % 7;
  const plan = { people: [''], weekday, clock, zone, firstDay: addDays(today, ahead) };
  return toLocalTime(findTurn(plan, at).from, zone).date;
}

function getStart(plan: TurnPlan, number: number): Date {
  const local = `${addDays(plan.firstDay, number * getPeriodDays(plan))}T${plan.clock}`;
  const at = resolveWhen({ kind: 'once', local }, plan.zone, new Date(0))?.at;
  if (!at) throw new Error(`${local} in ${plan.zone} is no moment`);
  return at;
}

function getPeriodDays({ weekday }: Pick<TurnPlan, 'weekday'>): number {
  return weekday === null ? 1 : 7;
}

function countDays(from: string, to: string): number {
  return Math.round((Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / DAY_MS);
}

function addDays(date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
}
