import { describe, expect, it } from 'vitest';
import { findFirstDay, findTurn, type TurnPlan } from './turns.ts';

const plan = (zone: string, over: Partial<TurnPlan> = {}): TurnPlan => ({
  people: ['ada', 'ben', 'cleo'],
  weekday: 1,
  clock: '09:00',
  zone,
  firstDay: '2026-01-05',
  ...over,
});
const HOUR_MS = 3_600_000;
const clockIn = (zone: string, at: Date): string =>
  at.toLocaleString('en-GB', { timeZone: zone, weekday: 'short', hour: '2-digit', minute: '2-digit' });

/** Every turn of a year, found from moments within it. */
function walk(one: TurnPlan): readonly { readonly place: number; readonly from: Date; readonly until: Date }[] {
  const turns = new Map<number, ReturnType<typeof findTurn>>();
  for (let at = Date.parse('2026-01-06T00:00:00Z'); at < Date.parse('2027-02-01T00:00:00Z'); at += 7 * HOUR_MS) {
    const turn = findTurn(one, new Date(at));
    expect(turn.from.getTime()).toBeLessThanOrEqual(at);
    expect(turn.until.getTime()).toBeGreaterThan(at);
    turns.set(turn.from.getTime(), turn);
  }
  return [...turns.values()];
}

describe('turns over a year', () => {
  it.each([
    ['Europe/Berlin', [167, 168, 169]],
    ['America/Santiago', [167, 168, 169]],
    ['Australia/Lord_Howe', [167.5, 168, 168.5]],
    ['UTC', [168]],
  ])('each weekly hand-over in %s is on Monday at 09:00 of its clock, in turn, without a gap', (zone, hours) => {
    const turns = walk(plan(zone));
    expect(turns.length).toBeGreaterThanOrEqual(56);
    for (const [place, turn] of turns.slice(0, -1).entries()) {
      expect(clockIn(zone, turn.from)).toMatch(/^Mon 09:00$/);
      expect(turns[place + 1]).toMatchObject({ from: turn.until, place: (turn.place + 1) % 3 });
    }
    const lengths = new Set(turns.map(({ from, until }) => (until.getTime() - from.getTime()) / HOUR_MS));
    expect([...lengths].toSorted((a, b) => a - b)).toEqual(hours);
  });

  it('a daily hand-over in the hour that a change of clocks leaves out is right after it, and then again at its time', () => {
    const daily = plan('Europe/Berlin', { weekday: null, clock: '02:30', firstDay: '2026-03-27' });
    const starts = ['2026-03-28T12:00:00Z', '2026-03-29T12:00:00Z', '2026-03-30T12:00:00Z'].map((at) =>
      findTurn(daily, new Date(at)).from.toISOString(),
    );
    expect(starts).toEqual(['2026-03-28T01:30:00.000Z', '2026-03-29T01:30:00.000Z', '2026-03-30T00:30:00.000Z']);
    expect(
      walk(daily).every(({ place }, index, all) => index === 0 || place === ((all[index - 1]?.place ?? 0) + 1) % 3),
    ).toBe(true);
  });

  it('a daily hand-over in the hour that comes twice happens once', () => {
    const daily = plan('America/New_York', { weekday: null, clock: '01:30', firstDay: '2026-10-30' });
    const turns = walk(daily).filter(({ from }) => from.toISOString().startsWith('2026-11-01'));
    expect(turns).toHaveLength(1);
  });

  it('the person of a moment before the first day is found too', () => {
    expect(findTurn(plan('UTC'), new Date('2026-01-04T00:00:00Z')).place).toBe(2);
  });
});

it('whoever is named first is on call at the moment when a rota is set', () => {
  for (const at of ['2026-11-28T17:00:00Z', '2026-11-30T08:59:59Z', '2026-11-30T09:00:00Z', '2026-12-01T00:00:00Z'])
    for (const weekday of [null, 0, 1, 6]) {
      const times = { weekday, clock: '09:00', zone: 'UTC' };
      const firstDay = findFirstDay(times, new Date(at));
      expect(findTurn({ ...times, people: ['ada', 'ben'], firstDay }, new Date(at)).place).toBe(0);
    }
});
