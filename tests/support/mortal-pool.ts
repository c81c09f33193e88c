import type { Pool } from '@signalbox/store/pool';

/** What a dead worker's code meets. */
export class Crash extends Error {}

/** Where a worker dies: before its n-th statement is sent, or after it has taken effect and before the answer is read. */
export interface Death {
  readonly at: number;
  readonly when: 'before' | 'after';
}

/** A pool of a worker that dies at one of its statements. */
export interface MortalPool {
  readonly pool: Pool;
  dead(): boolean;
  die(): void;
}

export function openMortalPool(pool: Pool, { at, when }: Death): MortalPool {
  let statements = 0;
  let isDead = false;
  const guard = async <T>(send: () => Promise<T>): Promise<T> => {
    if (isDead) throw new Crash();
    statements += 1;
    if (statements === at && when === 'before') isDead = true;
    if (isDead) throw new Crash();
    const answer = await send();
    if (statements === at) isDead = true;
    if (isDead) throw new Crash();
    return answer;
  };
  const proxy = new Proxy(pool, {
    get: (target, name) => {
      if (name === 'query')
        return (...args: Parameters<Pool['query']>) =>
          guard(() => target.query(...args) as unknown as Promise<unknown>);
      if (name !== 'connect') return Reflect.get(target, name) as unknown;
      return async () => {
        const client = await target.connect();
        return new Proxy(client, {
          get: (own, key) => {
            if (key === 'query')
              return (...args: Parameters<typeof own.query>) =>
                guard(() => own.query(...args) as unknown as Promise<unknown>);
            // A dead worker's connection goes with it: what was not committed never was.
            if (key === 'release') return () => own.release(isDead);
            return Reflect.get(own, key) as unknown;
          },
        });
      };
    },
  });
  return { pool: proxy, dead: () => isDead, die: () => (isDead = true) };
}
