import type { PromptContext } from '@signalbox/contracts/governance/execution-turn';
import { factsOf, type Fact } from './unfounded.ts';

/** The sections whose lines the runtime measured or recorded; the others hold words of people as well, which found no claim. */
const MEASURED: ReadonlySet<string> = new Set(['deciding', 'own', 'deployments', 'jobs', 'services']);

/** What a prompt was told: its lines, which are no claim of a model when it repeats them, and what they found. Pure. */
export function groundsOfContext({ text, sections }: PromptContext): {
  readonly lines: readonly string[];
  readonly facts: readonly Fact[];
} {
  // The first part is the opening.
  const linesOf = text
    .split('\n\n')
    .slice(1)
    .map((part) => part.split('\n- ').slice(1));
  const measured = linesOf.filter((_, place) => MEASURED.has(sections[place]?.name ?? ''));
  return { lines: linesOf.flat(), facts: measured.flat().flatMap((line) => factsOf(fieldsIn(line))) };
}

/** The words of a line as the fields of one thing. */
function fieldsIn(line: string): Readonly<Record<string, string>> {
  const words = line.split(/[\s,;()“”[\]]+|:(?=\s|$)/).filter((word) => word !== '');
  return Object.fromEntries(words.map((word, place) => [String(place), word]));
}
