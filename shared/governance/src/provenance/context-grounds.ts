import type { PromptContext } from '@signalbox/contracts/governance/execution-turn';
import { listEntityFacts, type EntityFact } from './unfounded.ts';

/** Sections whose lines the runtime measured or recorded. Other sections contain words of people, which support no claim. */
const MEASURED: ReadonlySet<string> = new Set(['deciding', 'own', 'deployments', 'jobs', 'services']);

/** Lists the lines of a prompt's context and the facts they support. A model that repeats these lines makes no claim. Pure. */
export function toClaimGrounds({ text, sections }: PromptContext): {
  readonly lines: readonly string[];
  readonly facts: readonly EntityFact[];
} {
  // The first part of the text is its opening line, which states no fact.
  const linesOf = text
    .split('\n\n')
    .slice(1)
    .map((part) => part.split('\n- ').slice(1));
  const measured = linesOf.filter((_, place) => MEASURED.has(sections[place]?.name ?? ''));
  return { lines: linesOf.flat(), facts: measured.flat().flatMap((line) => listEntityFacts(fieldsIn(line))) };
}

/** Reads the words of a line as the fields of one fact. */
function fieldsIn(line: string): Readonly<Record<string, string>> {
  const words = line.split(/[\s,;()“”[\]]+|:(?=\s|$)/).filter((word) => word !== '');
  return Object.fromEntries(words.map((word, place) => [String(place), word]));
}
