/** Runs at most `maxRunning` tasks at a time; further tasks wait in order. */
export function createConcurrencyLimit(maxRunning: number) {
  const waiting: (() => void)[] = [];
  let free = maxRunning;
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      // The next task takes the slot over.
      if (next) next();
      else free += 1;
    }
  };
}
