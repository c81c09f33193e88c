import { findTurn } from '@signalbox/messages/schedule/turns';
import type { Rota } from './rotas.ts';

/** Somebody is on call, from one hand-over to the next. */
export interface Duty {
  readonly userKey: string;
  readonly from: Date;
  /** Null when nobody else ever takes over. */
  readonly until: Date | null;
}

/**
 * Lists who is asked at a moment, in order: whoever is on call, then those whose turns come next. `able`: the accounts that can take an
 * incident; others are passed over. Pure.
 */
export function listOnCall(rota: Rota, at: Date, able: ReadonlySet<string>): readonly string[] {
  const { place } = findTurn(rota, at);
  // The newest cover counts.
  const covers = rota.covers.filter(({ from, until }) => from <= at && at < until).map(({ userKey }) => userKey);
  const inOrder = [...covers.toReversed(), ...rota.people.slice(place), ...rota.people.slice(0, place)];
  return [...new Set(inOrder)].filter((userKey) => able.has(userKey));
}

/** Finds who is on call at a moment, since when and until when; null when nobody is able to. Pure. */
export function findDuty(rota: Rota, at: Date, able: ReadonlySet<string>): Duty | null {
  const who = (moment: Date): string | null => listOnCall(rota, moment, able)[0] ?? null;
  const userKey = who(at);
  if (userKey === null) return null;
  // After one round it is clear that nobody else takes over.
  const maxEdges = rota.people.length + 2 * rota.covers.length;
  let from = findEdge(rota, at, 'before');
  for (let edges = 0; edges < maxEdges; edges++) {
    const before = new Date(from.getTime() - 1);
    if (who(before) !== userKey) break;
    from = findEdge(rota, before, 'before');
  }
  let until = findEdge(rota, at, 'after');
  for (let edges = 0; edges < maxEdges; edges++) {
    if (who(until) !== userKey) return { userKey, from, until };
    until = findEdge(rota, until, 'after');
  }
  return { userKey, from, until: null };
}

/** Lists who is on call after a moment: the next hand-overs, in order; fewer when nobody else takes over. Pure. */
export function listHandOvers(rota: Rota, at: Date, able: ReadonlySet<string>, count: number): readonly Duty[] {
  const found: Duty[] = [];
  for (let last = findDuty(rota, at, able); last?.until && found.length < count;) {
    last = findDuty(rota, last.until, able);
    if (last) found.push(last);
  }
  return found;
}

/** The newest moment not after `at`, or the next one after it, at which somebody else may be on call. */
function findEdge(rota: Rota, at: Date, side: 'before' | 'after'): Date {
  const turn = findTurn(rota, at);
  const edges = [turn.from, turn.until, ...rota.covers.flatMap(({ from, until }) => [from, until])];
  const times = edges
    .map((edge) => edge.getTime())
    .filter((ms) => (side === 'before' ? ms <= at.getTime() : ms > at.getTime()));
  return new Date(side === 'before' ? Math.max(...times) : Math.min(...times));
}
