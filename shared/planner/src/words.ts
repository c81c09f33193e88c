import { say } from '@signalbox/messages/say';

/** Every sentence of the offline planner, in the language of whoever asks. Names and examples come from the catalog of tools. */
export const WORDS = {
  notUnderstood: (text: string) => say('planner.not-understood', { text }),
  whichOf: (written: string) => say('planner.which-of', { written }),
  whatToChange: (thing: string, choices: string) => say('planner.what-to-change', { thing, choices }),
  noResult: (tool: string) => say('planner.no-result', { tool }),
  failed: (tool: string) => say('planner.failed', { tool }),
  notInstalled: (activity: string) => say('planner.not-installed', { activity }),
  notLoaded: (group: string) => say('planner.not-loaded', { group }),
  cannotLoad: (group: string) => say('planner.cannot-load', { group }),
  needs: (group: string, summary: string) => `${group}: ${summary}`,
  isMeant: (readings: readonly string[]) =>
    readings.length === 1
      ? say('planner.is-meant', { reading: readings.join('') })
      : `${say('planner.which-is-meant')}\n\n${asExamples(readings)}`,
  onlyLooks: (change: string) => say('planner.only-looks', { change }),
  which: (thing: string) => say('planner.which', { thing }),
  whatShould: (thing: string) => say('planner.what-should', { thing }),
  unknownName: (kind: string, name: string) => say('planner.unknown-name', { kind, name }),
  noneKnown: (kind: string) => say('planner.none-known', { kind }),
  invalid: (thing: string, written: string, wanted: string) => say('planner.invalid', { thing, written, wanted }),
  nothingFound: (query: string) => say('planner.nothing-found', { query }),
  notSearched: (scopes: string) => say('planner.not-searched', { scopes }),
} as const;

/** `memoryMb` → memory, `first_port` → first port: a field's name as people say it. */
export function inWordsOf(field: string): string {
  return field
    .replace(/(?:Mb|Gb|Kb|Ms|Bytes|Seconds|Minutes|Hours)$/, '')
    .replaceAll('_', ' ')
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase();
}

/** `project_management` → Project management, `deploy` → Deploying: a group as the subject of a sentence. */
export function asActivity(group: string): string {
  if (group === 'deploy') return 'Deploying';
  if (group === 'diagnose') return 'Diagnosing';
  const words = group.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** A markdown list of things that one could write. */
export function asExamples(examples: readonly string[]): string {
  return examples.map((example) => `- ${example}`).join('\n');
}

/** One line of at most `limit` characters, cut at a word where there is one. */
export function asLine(text: string, limit: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  const letters = [...line];
  if (letters.length <= limit) return line;
  const cut = letters.slice(0, limit - 1).join('');
  const space = cut.lastIndexOf(' ');
  return `${(space > limit / 2 ? cut.slice(0, space) : cut).trimEnd()}…`;
}
