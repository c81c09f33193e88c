import type { EssentialValue } from '@signalbox/contracts/governance/approval';
import { say } from '@signalbox/messages/say';

/** Maximum rows for the values of a step: with ten steps, a card still fits a few screens of a phone. */
const MAX_STEP_ROWS = 5;

/** Lists the rows of a value. */
export function listRows({ shown }: EssentialValue): readonly string[] {
  return shown === '' ? [] : shown.split('\n');
}

/** Returns the number of the step that a value of a plan belongs to. */
export function findStep({ shown }: EssentialValue): string {
  return /^(?:→ )?(\d+)\./.exec(shown)?.[1] ?? '';
}

/** Keeps the first and last lines of a value block; the line between, which no value can imitate, counts the hidden ones. */
export function foldLines(block: readonly string[], rows: number): readonly string[] {
  if (block.length <= rows) return block;
  const tail = Math.floor((rows - 1) / 2);
  const head = rows - 1 - tail;
  const folded = say('card.folded', { lines: block.length - head - tail });
  return [...block.slice(0, head), folded, ...block.slice(block.length - tail)];
}

/** Folds the values of a plan, step by step in their order, so that no step takes the rows of another. */
export function foldSteps(values: readonly EssentialValue[]): readonly string[] {
  const steps = new Map<string, (readonly string[])[]>();
  for (const value of values) {
    const step = findStep(value);
    steps.set(step, [...(steps.get(step) ?? []), listRows(value)]);
  }
  return [...steps.values()].flatMap(foldStep);
}

/** Folds long values first. When that is not enough, the last values are left out, and the last row counts them. */
function foldStep(values: readonly (readonly string[])[]): readonly string[] {
  for (const rows of [MAX_STEP_ROWS, 3, 2]) {
    const folded = values.flatMap((value) => foldLines(value, rows));
    if (folded.length <= MAX_STEP_ROWS) return folded;
  }
  const kept: string[] = [];
  for (const [at, value] of values.entries()) {
    const folded = foldLines(value, 2);
    if (kept.length + folded.length >= MAX_STEP_ROWS)
      return [...kept, say('card.folded-values', { values: values.length - at })];
    kept.push(...folded);
  }
  return kept;
}
