/** Numbers that one seed gives, always the same ones in the same order. */
export interface Random {
  /** From 0 to below 1. */
  next(): number;
  /** A whole number, both ends included. */
  between(low: number, high: number): number;
  pick<T>(list: readonly T[]): T;
}

/** Mulberry32: small, and good enough to scatter faults. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    between: (low, high) => low + Math.floor(next() * (high - low + 1)),
    pick: (list) => {
      const found = list[Math.floor(next() * list.length)];
      if (found === undefined) throw new Error('there is nothing to pick from');
      return found;
    },
  };
}
