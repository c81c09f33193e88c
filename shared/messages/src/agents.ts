import { DEFAULT_LANGUAGE, getCurrentLanguage } from './language.ts';
import { findSentence } from './say.ts';

/*
 * What an agent says of itself stands in the catalog, in the file of the agent's id: `lost-card.agentName` for lost_card. Every service has
 * these sentences, also those of a plug-in, while only the worker has the agents.
 */

/** An agent's own words in the language of their reader. */
export interface AgentWords {
  /** Its name; the id, when the catalog has no name. */
  readonly name: string;
  /** What it does, in one sentence. */
  readonly does: string;
  /** What it says before anybody wrote; null when the catalog has no such sentence. */
  readonly first: string | null;
  /** Requests to begin with. */
  readonly examples: readonly string[];
}

/** Returns an agent's own words; `summary` is the English sentence for an agent without an entry in the catalog. */
export function describeAgent({ id, summary }: { readonly id: string; readonly summary: string }): AgentWords {
  const file = fileOf(id);
  return {
    name: findSentence(`${file}.agentName`) ?? id,
    does: findSentence(`${file}.agentDoes`) ?? summary,
    first: findSentence(`${file}.agentFirst`),
    examples: findSentence(`${file}.agentExamples`)?.split(' | ') ?? [],
  };
}

/** True for an agent that is known by words of its own. Any other is found by what its tools do. */
export function hasAgentPhrases(id: string): boolean {
  return listPhrases(id).length > 0;
}

/** True when a text asks for what this agent does, in its reader's language or in English. */
export function asksForAgent(id: string, text: string): boolean {
  return listPhrases(id).some((phrases) => saysOne(text, phrases));
}

function listPhrases(id: string): readonly string[] {
  const languages = new Set([getCurrentLanguage(), DEFAULT_LANGUAGE]);
  return [...languages].flatMap((language) => findSentence(`${fileOf(id)}.agentHears`, language) ?? []);
}

const fileOf = (id: string): string => id.replaceAll('_', '-');

/** Scripts without spaces, such as Chinese, in which a phrase may occur anywhere in the text. */
const UNSPACED = /\p{Script=Han}/u;

/** True when a text has one of these phrases, separated by commas: words with all of its word beginnings. Pure. */
export function saysOne(text: string, phrases: string): boolean {
  const written = text.normalize('NFKC').toLowerCase().replaceAll('’', "'");
  const words = written.split(/[^\p{L}\p{N}'-]+/u);
  const has = (piece: string): boolean =>
    UNSPACED.test(piece) ? written.includes(piece) : words.some((word) => word.startsWith(piece));
  return phrases.split(', ').some((phrase) => phrase.split(' ').every(has));
}
