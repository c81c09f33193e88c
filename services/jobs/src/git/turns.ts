/** Runs the works of a key one after another, and those of different keys beside each other. */
export function createTurns(): <T>(key: string, work: () => Promise<T>) => Promise<T> {
  const queues = new Map<string, Promise<unknown>>();
  return (key, work) => {
    const turn = (queues.get(key) ?? Promise.resolve()).then(work);
    queues.set(
      key,
      turn.catch(() => undefined),
    );
    return turn;
  };
}
