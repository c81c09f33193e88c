import type { BoundTool, CatalogTool, ToolCatalog } from '@signalbox/contracts/tool-catalog';
import { type WordTerms, listHintTerms } from './terms.ts';
import type { KnownNames } from '../names/mentions.ts';
import { type Field, readFields } from '../slots/schema.ts';
import { THESAURUS, isFiller, sensesOf, wordsOf, wordSet } from '../text/tokens.ts';

/** A tool with the data for comparing it with texts. */
export interface IndexedTool {
  readonly name: string;
  /** Group of the tool; null for a bound tool without a group. */
  readonly group: string | null;
  readonly summary: string;
  readonly installed: boolean;
  /** True when the tool changes nothing, as the catalog says or, without a catalog entry, the tool's name. */
  readonly isHarmless: boolean;
  /** Returns the tool's own sentence that describes a change; null when the tool has none. */
  readonly orderOf: (args: Readonly<Record<string, unknown>>) => string | null;
  readonly fields: readonly Field[];
  readonly firstHint: string;
  /** Words in the hints and the name of the tool, without values. */
  readonly spoken: ReadonlySet<string>;
  /** First words of the tool's hints. */
  readonly verbs: ReadonlySet<string>;
  /** Terms of each hint and of the tool's name. */
  readonly hints: readonly (readonly WordTerms[])[];
  /** Terms of the tool's full description. */
  readonly about: readonly WordTerms[];
  /** Subjects in the tool's name, such as port, DEPLOY or log. */
  readonly topics: ReadonlySet<string>;
}

export interface ToolIndex {
  readonly tools: readonly IndexedTool[];
  /** Returns the weight of a word: the fewer tools use the word, the higher. */
  readonly weightOf: (word: WordTerms) => number;
  /** Values of entities with a closed set, such as environment → staging, production, local. */
  readonly closed: KnownNames;
  /** Words in the hints of all tools. */
  readonly words: ReadonlySet<string>;
}

/** Tools that only talk, load groups or finish the task. */
export const TALKING_TOOLS = wordSet('respond_to_user request_capabilities finish_task classify_intent handoff');
/** Tools that nobody requests by a hint; whether they are bound changes no index. */
const BASE_TOOLS: ReadonlySet<string> = new Set([...TALKING_TOOLS, 'search_knowledge']);

interface ListedTool {
  readonly tool: CatalogTool;
  readonly group: string | null;
  readonly summary: string;
  readonly installed: boolean;
}

const LOOKING = wordSet(
  'get list check find show search read describe count inspect compare explain preview export diagnose',
);

/** Each catalog is indexed once, because catalogs are never changed in place. */
const indexed = new WeakMap<ToolCatalog, ToolIndex>();

/** Indexes all groups of the catalog, and bound tools that no group declares. */
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

function listTools(catalog: ToolCatalog): readonly ListedTool[] {
  return catalog.groups.flatMap(({ name: group, summary, installed, tools }) =>
    tools.filter(({ name }) => !BASE_TOOLS.has(name)).map((tool) => ({ tool, group, summary, installed })),
  );
}

function buildIndex(listed: readonly ListedTool[]): ToolIndex {
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
      verbs: new Set(tool.hints.flatMap((hint) => wordsOf(hint).slice(0, 1)).filter((word) => !isValue(word))),
      hints: [...tool.hints, spokenName].map((hint) => listHintTerms(hint, examples, closed)),
      about: listHintTerms([spokenName, tool.describe, ...labels, ...tool.hints].join('. '), examples, {}),
      topics: new Set(topics.flatMap((word) => sensesOf(word).map(({ meaning }) => meaning))),
    };
  });
  const words = new Set(tools.flatMap(({ spoken }) => [...spoken]));
  return { tools, closed, words, weightOf: createWeights(tools) };
}

/** Weight of a word that occurs in no tool. */
const UNKNOWN = 2;
/** Factor for names and numbers, which weigh less than words because most tools take some. */
const VALUE = 0.7;
const LEAST = 0.5;

/** Computes the weight of a word from its rarest term: the logarithm of the inverse share of tools with the term (tf-idf). */
function createWeights(tools: readonly IndexedTool[]): ToolIndex['weightOf'] {
  const users = new Map<string, number>();
  for (const { hints } of tools)
    for (const term of new Set(hints.flat().flatMap((word) => [...word.keys()])))
      users.set(term, (users.get(term) ?? 0) + 1);
  const weights = new Map([...users].map(([term, count]) => [term, Math.log(1 + tools.length / count)]));
  // Caches the weights of hint words, whose computation would take a third of the planner's time.
  const known = new WeakMap<WordTerms, number>();
  return (word) => {
    const weight = known.get(word) ?? weigh(word, weights);
    known.set(word, weight);
    return weight;
  };
}

function weigh(word: WordTerms, weights: ReadonlyMap<string, number>): number {
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

/** Finds example names in hints, such as shop in "list ports of shop": they occur in hints of several tools, but in no description. */
function exampleNames(listed: readonly ListedTool[], closed: KnownNames): ReadonlySet<string> {
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
