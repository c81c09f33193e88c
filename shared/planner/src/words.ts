/** Every sentence of the offline planner. Short, plain, friendly; names and examples come from the catalog. */
export const WORDS = {
  greeting: 'Hello.',
  canDo: 'I can do this, for example:',
  builtIn:
    'I am the built-in planner and take plain orders in English. A language model takes any words: the README says how to connect one.',
  sorry: 'I am sorry. Please say in other words what you wanted, for example:',
  notUnderstood: (text: string) => `I did not understand “${text}”. The nearest that I can do:`,
  onlyUnderstand: 'I only understand:',
  nothingInstalled: 'No capability is installed here yet, so there is nothing I can do.',
  empty: 'That message was empty. What do you need?',
  welcome: "You're welcome.",
  ready: 'Ready when you are.',
  dropped: 'OK, I dropped that.',
  nothingToCancel: 'There is nothing to cancel.',
  leftAlone: 'OK, I leave it as it is.',
  onlyTold: 'I did nothing: that sounded like news and not like a wish. Tell me plainly if I should do something.',
  /** Behind what was looked at for a condition. */
  offer: (order: string) => `I have not done anything else yet. Shall I: “${order}”?`,
  no: 'no',
  cannotSee: (condition: string, order: string) =>
    `I did nothing: I cannot see whether “${condition}”. When it is so, say “${order}”.`,
  noConditions: 'I did nothing: I cannot wait until something is so. Ask me again when it is.',
  notLater: 'I did nothing: I can only do things at once, not at another time. Ask me again then.',
  chat: 'I am only a bot for operations, but I like to hear it. What do you need?',
  whichOf: (written: string) => `There is more than one “${written}”.`,
  whatToChange: (thing: string, choices: string) => `What shall I change about ${thing}: ${choices}?`,
  idle: 'What do you need?',
  done: 'Done.',
  finishedWithout: 'Nothing was changed.',
  tooManySteps: 'That took more steps than I should need, so I stopped. Please say it again in other words.',
  noResult: (tool: string) => `I could not see what came of “${tool}”. Please check before you ask again.`,
  failed: (tool: string) => `“${tool}” did not work.`,
  notInstalled: (activity: string) => `${activity} is not installed here.`,
  alternatives: 'I can:',
  notLoaded: (group: string) => `I may not use ${group} right now.`,
  cannotLoad: (group: string) => `I have no way to load ${group} here.`,
  needs: (group: string, summary: string) => `${group}: ${summary}`,
  whichMeant: 'What do you mean?',
  isMeant: (readings: readonly string[]) =>
    readings.length === 1
      ? `I have not done anything yet. Is this what you mean: ${readings.join('')}?`
      : `I have not done anything yet. Which of these do you mean?\n\n${asExamples(readings)}`,
  noneOfThese: 'None of these',
  onlyLooks: (change: string) =>
    `I did not do this: ${change}. The language model does not answer at the moment, and without it I only look things up. ` +
    'Please ask again in a few minutes.',
  which: (thing: string) => `Which ${thing}?`,
  whatShould: (thing: string) => `What should the ${thing} be?`,
  unknownName: (kind: string, name: string) => `I know no ${kind} named ${name}.`,
  noneKnown: (kind: string) => `I know no ${kind} yet, so there is nothing to choose from.`,
  invalid: (thing: string, written: string, wanted: string) =>
    `The ${thing} cannot be ${written}: it must be ${wanted}.`,
  notAnAnswer: 'I did not understand that as an answer.',
  gaveUp: 'I still do not understand, so I dropped the question. Please ask again in other words.',
  found: 'This is what I found:',
  nothingFound: (query: string) => `I found nothing about “${query}”.`,
  notSearched: (scopes: string) => `Not searched, because nothing is there yet: ${scopes}.`,
  noSearch: 'I cannot search for that here.',
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
