import type { BoundTool, CatalogTool, ToolCatalog } from '@signalbox/contracts/tool-catalog';
import { type Word, listHintTerms } from './terms.ts';
import type { KnownNames } from '../names/mentions.ts';
import { type Field, readFields } from '../slots/schema.ts';
import { THESAURUS, isFiller, sensesOf, wordsOf, wordSet } from '../text/tokens.ts';

/** A tool, prepared for comparing it with what people say. */
export interface IndexedTool {
  readonly name: string;
  /** The group it belongs to; null for a tool that is bound but in no group. */
  readonly group: string | null;
  readonly summary: string;
  readonly installed: boolean;
  /** Whether it changes nothing, as the catalog says; as its name says where the catalog does not. */
  readonly isHarmless: boolean;
  /** The change that arguments would make, in the tool's own words; null when it has none for them. */
  readonly orderOf: (args: Readonly<Record<string, unknown>>) => string | null;
  readonly fields: readonly Field[];
  readonly firstHint: string;
  /** The words of its hints and its name, as they are written, but for the values in them. */
  readonly spoken: ReadonlySet<string>;
  /** The words that its hints begin with. */
  readonly verbs: ReadonlySet<string>;
  /** The terms of each hint and of its name. */
  readonly hints: readonly (readonly Word[])[];
  /** The terms of all that is written about it. */
  readonly about: readonly Word[];
  /** What its name speaks of: port, DEPLOY, log. */
  readonly topics: ReadonlySet<string>;
}

export interface ToolIndex {
  readonly tools: readonly IndexedTool[];
  /** How telling a word is: the fewer tools speak of it, the more. */
  readonly weightOf: (word: Word) => number;
  /** Kinds of things whose names are a closed set, such as environment → staging, production, local. */
  readonly closed: KnownNames;
  /** The words that tools are asked for with. */
  readonly words: ReadonlySet<string>;
}

/** Tools that every turn has; nobody asks for them by hint. */
export const BASE_TOOLS = wordSet('respond_to_user search_knowledge request_capabilities finish_task classify_intent');

interface Listed {
  readonly tool: CatalogTool;
  readonly group: string | null;
  readonly summary: string;
  readonly installed: boolean;
}

const LOOKING = wordSet(
  'get list check find show search read describe count inspect compare explain preview export diagnose',
);

/** A catalog is indexed once. Catalogs are never changed in place; a new one is a new object. */
const indexed = new WeakMap<ToolCatalog, ToolIndex>();

/** Prepares all groups of the catalog, and bound tools that no group declares. */
export function indexTools(catalog: ToolCatalog, bound: readonly BoundTool[]): ToolIndex {
  const known = indexed.get(catalog) ?? buildIndex(listTools(catalog));
  indexed.set(catalog, known);
  const named = new Set(known.tools.map(({ name }) => name));
  const extra = bound.filter(({ name }) => !named.has(name) && !BASE_TOOLS.has(name));
  if (extra.length === 0) return known;
  const others = extra.map(({ name, description: summary, schema }) => ({
    tool: { name, describe: summary, hints: [], schema },
    group: null,
    summary,
    installed: true,
  }));
  return buildIndex([...listTools(catalog), ...others]);
}

function listTools(catalog: ToolCatalog): readonly Listed[] {
  return catalog.groups.flatMap(({ name: group, summary, installed, tools }) =>
    tools.filter(({ name }) => !BASE_TOOLS.has(name)).map((tool) => ({ tool, group, summary, installed })),
  );
}

function buildIndex(listed: readonly Listed[]): ToolIndex {
  const closed = closedKinds(listed.flatMap(({ tool }) => readFields(tool.schema)));
  const examples = exampleNames(listed, closed);
  const values = new Set([...examples, ...Object.values(closed).flat()]);
  const isValue = (word: string): boolean => values.has(word) || /\d/.test(word);
  const tools = listed.map(({ tool, group, summary, installed }): IndexedTool => {
    const fields = readFields(tool.schema);
    const spokenName = tool.name.replaceAll('_', ' ');
    const [verb = '', ...topics] = tool.name.split('_');
    const labels = fields.map(
      ({ name, choices }) => `${name.replaceAll(/([a-z])([A-Z])/g, '$1 $2')} ${choices.join(' ')}`,
    );
    return {
      name: tool.name,
      group,
      summary,
      installed,
      isHarmless: tool.isRead ?? LOOKING.has(verb),
      orderOf: (args) => tool.orderOf?.(args) ?? null,
      fields,
      firstHint: tool.hints[0] ?? spokenName,
      spoken: new Set([...tool.hints, spokenName].flatMap(wordsOf).filter((word) => !isValue(word))),
      verbs: new Set(tool.hints.flatMap((hint) => wordsOf(hint).slice(0, 1))),
      hints: [...tool.hints, spokenName].map((hint) => listHintTerms(hint, examples, closed)),
      about: listHintTerms([spokenName, tool.describe, ...labels, ...tool.hints].join('. '), examples, {}),
      topics: new Set(topics.flatMap((word) => sensesOf(word).map(({ meaning }) => meaning))),
    };
  });
  const words = new Set(tools.flatMap(({ spoken }) => [...spoken]));
  return { tools, closed, words, weightOf: createWeights(tools) };
}

/** A word that no tool speaks of counts this much. */
const UNKNOWN = 2;
/** Names and numbers tell less than words: most tools take some. */
const VALUE = 0.7;
const LEAST = 0.5;

/** The weight of a word is that of its most telling term: the logarithm of one over the term's share of the tools, as in tf-idf. */
function createWeights(tools: readonly IndexedTool[]): ToolIndex['weightOf'] {
  const users = new Map<string, number>();
  for (const { hints } of tools)
    for (const term of new Set(hints.flat().flatMap((word) => [...word.keys()])))
      users.set(term, (users.get(term) ?? 0) + 1);
  const weights = new Map([...users].map(([term, count]) => [term, Math.log(1 + tools.length / count)]));
  // The words of hints are weighed for every sentence: without this, it takes a third of the planner's time.
  const known = new WeakMap<Word, number>();
  return (word) => {
    const weight = known.get(word) ?? weigh(word, weights);
    known.set(word, weight);
    return weight;
  };
}

function weigh(word: Word, weights: ReadonlyMap<string, number>): number {
  const [[first = ''] = []] = word;
  const own = [...word].map(([term, share]) => share * (weights.get(term) ?? (word.size > 1 ? 0 : UNKNOWN)));
  return Math.max(...own, LEAST) * (first.startsWith('¤') ? VALUE : 1);
}

function closedKinds(fields: readonly Field[]): KnownNames {
  const kinds: Record<string, readonly string[]> = {};
  for (const { entity, choices } of fields)
    if (entity !== null && choices.length > 0) kinds[entity] = [...new Set([...(kinds[entity] ?? []), ...choices])];
  return kinds;
}

/** Words of hints that stand for any name, such as shop in "list ports of shop": several tools use them, and nothing else speaks of them. */
function exampleNames(listed: readonly Listed[], closed: KnownNames): ReadonlySet<string> {
  const places = new Set(Object.values(closed).flat());
  const written = new Set(
    listed.flatMap(({ tool, summary }) => wordsOf(`${tool.name.replaceAll('_', ' ')} ${tool.describe} ${summary}`)),
  );
  const users = new Map<string, number>();
  for (const { tool } of listed)
    for (const word of new Set(tool.hints.flatMap((hint) => wordsOf(hint).slice(1))))
      if (!written.has(word) && !places.has(word) && !isFiller(word) && !THESAURUS.has(word))
        users.set(word, (users.get(word) ?? 0) + 1);
  return new Set([...users].filter(([word, count]) => count > 1 || /^[a-z]+-\d/.test(word)).map(([word]) => word));
}
