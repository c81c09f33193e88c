/** Which parts of a text are used up: no word fills two arguments. */
export interface Spans {
  isFree(start: number, end: number): boolean;
  take(start: number, end: number): void;
  /** Where the last part taken ends; 0 at the start. */
  lastEnd(): number;
}

export function createSpans(): Spans {
  const taken: (readonly [number, number])[] = [];
  return {
    isFree: (start, end) => taken.every(([from, to]) => end <= from || start >= to),
    take: (start, end) => void taken.push([start, end]),
    lastEnd: () => Math.max(0, ...taken.map(([, end]) => end)),
  };
}
