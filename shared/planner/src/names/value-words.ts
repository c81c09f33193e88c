import { stem } from '../text/thesaurus.ts';

/** What people call the values that a schema names in full. A value is only meant where an argument takes it. */
const VALUE_WORDS: Readonly<Record<string, string>> = {
  production: 'prod prd productive',
  staging: 'stage stg stag preprod pre-prod pre-production uat',
  local: 'localhost dev development locally',
  archived:
    'archive archives shelve shelved retire retired sunset mothball archival dead closed close discontinued obsolete',
  active: 'reactivate reactivated activate activated revive revived unarchive unarchived resume',
  intended: 'planned planning draft',
};

/** Word → the values that it may stand for. */
export const VALUE_ALIASES: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(VALUE_WORDS).flatMap(([value, words]) => words.split(' ').map((word) => [word, [value]] as const)),
);

/** Whether a word says this value: archive, archived and Archived are one choice; so are prod and production. */
export function isSameChoice(word: string, choice: string): boolean {
  const value = choice.toLowerCase();
  return word === value || (VALUE_ALIASES.get(word) ?? []).includes(value) || stem(word) === stem(value);
}
