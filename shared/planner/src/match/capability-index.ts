import type { BoundTool } from '@signalbox/contracts/tool-catalog';
import type { ToolCatalog } from '@signalbox/contracts/tool-catalog';
import type { Sense } from '../text/concepts.ts';
import { hasTellingForm } from '../slots/field-kinds.ts';
import {
  type Listed,
  closedKinds,
  findExamples,
  meaningsOfWord,
  readHints,
  readSource,
  spell,
  valuesOf,
  weigh,
  weightOf,
  writtenWords,
  type ClosedKinds,
} from './hint-sources.ts';
import { type Field, readFields } from '../slots/schema.ts';
import { isFiller, tokenize } from '../text/tokens.ts';

/** A word of a hint. Words of one tool that mean the same are one. */
export interface HintWord {
  readonly senses: readonly Sense[];
  /** How telling it is: the fewer tools speak of it, the more. */
  readonly weight: number;
  /** Whether it stands for a name or a value: ¤project, ¤any. */
  readonly isPlaceholder: boolean;
  /** Whether it is a value of an argument: archive, active. */
  readonly isValue: boolean;
  /** Its place in the index: what a word of a text is to it is only worked out once. */
  readonly id: number;
}

/** A tool, prepared for comparing it with what people say. */
export interface IndexedTool {
  readonly name: string;
  /** The group it belongs to; null for a tool that is bound but in no group. */
  readonly group: string | null;
  readonly summary: string;
  readonly installed: boolean;
  /** Whether it only looks, as its name says: get_…, list_…, check_…. */
  readonly reads: boolean;
  /** Whether it changes nothing, as the catalog says; as its name says where the catalog does not. */
  readonly isHarmless: boolean;
  /** The change that arguments would make, in the tool's own words; null when it has none for them. */
  readonly orderOf: (args: Readonly<Record<string, unknown>>) => string | null;
  /** The words of its hints and its name, as they are written. */
  readonly spoken: ReadonlySet<string>;
  /** The least role that may call it; null when nothing is said. */
  readonly role: string | null;
  readonly fields: readonly Field[];
  readonly firstHint: string;
  /** Its hints and its name. */
  readonly hints: readonly (readonly HintWord[])[];
  /** What its name speaks of: port, deploy, log. */
  readonly topics: ReadonlySet<string>;
  /** Meanings of all that is written about it. */
  readonly about: ReadonlySet<string>;
  /** Stems of the values that its arguments take, and of what people call them: archiv, reactivat, prod. */
  readonly values: ReadonlySet<string>;
}

export interface CapabilityIndex {
  readonly tools: readonly IndexedTool[];
  /** Every meaning that some tool speaks of. */
  readonly words: ReadonlySet<string>;
  /** How telling a meaning is. */
  readonly weight: ReadonlyMap<string, number>;
  /** Words as they may be written, for forgiving mistyped ones; by their length. */
  readonly spellings: ReadonlyMap<number, readonly string[]>;
  /** Those of them that stand in hints. */
  readonly written: ReadonlySet<string>;
  /** Kinds of things whose names are a closed set, such as environment → staging, production, local. */
  readonly closed: ClosedKinds;
  /** Values of all tools. */
  readonly values: ReadonlySet<string>;
  /** First words of the names of installed tools: an order may begin with each. */
  readonly orders: ReadonlySet<string>;
  /** Forms of arguments that only such an argument has, by the argument's name. */
  readonly forms: readonly Field[];
  readonly hintWords: readonly HintWord[];
  /** Word of a text → how near it is to each hint word. Filled as texts are read. */
  readonly nearness: Map<string, Float64Array>;
}

/** First words of names of tools that change nothing. */
const READING = new Set(
  'get list check find show search read describe count tell look view inspect compare explain preview export'.split(
    ' ',
  ),
);

/** A catalog is indexed once. Catalogs are never changed in place; a new one is a new object. */
const indexed = new WeakMap<ToolCatalog, CapabilityIndex>();

/**
 * Prepares all groups of the catalog, and bound tools that no group declares.
 * Base tools are left out: nobody asks for them by hint.
 */
export function indexCapabilities(
  catalog: ToolCatalog,
  bound: readonly BoundTool[],
  baseTools: ReadonlySet<string>,
): CapabilityIndex {
  const named = namesOf(catalog);
  const extra = bound.filter((tool) => !named.has(tool.name) && !baseTools.has(tool.name));
  const known = extra.length === 0 ? indexed.get(catalog) : undefined;
  if (known) return known;
  const sources = [
    ...catalog.groups.flatMap(({ name: group, summary, installed, tools }) =>
      tools.filter((tool) => !baseTools.has(tool.name)).map((tool) => ({ tool, group, summary, installed })),
    ),
    ...extra.map(({ name, description, schema }) => ({
      tool: { name, describe: description, hints: [], schema },
      group: null,
      summary: description,
      installed: true,
    })),
  ];
  const index = buildIndex(sources);
  if (extra.length === 0) indexed.set(catalog, index);
  return index;
}

const toolNames = new WeakMap<ToolCatalog, ReadonlySet<string>>();

function namesOf(catalog: ToolCatalog): ReadonlySet<string> {
  const known = toolNames.get(catalog) ?? new Set(catalog.groups.flatMap(({ tools }) => tools.map(({ name }) => name)));
  toolNames.set(catalog, known);
  return known;
}

function buildIndex(listed: readonly Listed[]): CapabilityIndex {
  const fields = listed.flatMap(({ tool }) => readFields(tool.schema));
  const closed = closedKinds(fields);
  const forms = fields.filter(hasTellingForm);
  const sources = listed.map((entry) => readSource(entry, closed, forms));
  const examples = findExamples(sources);
  const hints = sources.map((source) => readHints(source, examples));
  const words = new Set([
    ...sources.flatMap(({ about }) => about.flatMap(meaningsOfWord)),
    ...hints.flat(2).flatMap(({ senses }) => senses.map(({ meaning }) => meaning)),
  ]);
  const weight = weigh(hints, words);
  const hintWords: HintWord[] = [];
  const tools = sources.map((source, at): IndexedTool => {
    const own = new Map<string, HintWord>();
    const values = valuesOf(source.fields);
    const intern = (senses: readonly Sense[]): HintWord => {
      const key = senses.map(({ meaning, share }) => `${meaning}*${share}`).join(' ');
      const isValue = values.has(senses[0]?.meaning ?? '');
      const known = own.get(key) ?? {
        senses,
        weight: weightOf(senses, weight),
        isPlaceholder: senses[0]?.meaning.startsWith('¤') ?? false,
        isValue,
        id: hintWords.length,
      };
      if (!own.has(key)) hintWords.push(known);
      own.set(key, known);
      return known;
    };
    const [verb = '', ...topic] = source.name.split('_');
    return {
      name: source.name,
      group: source.group,
      summary: source.summary,
      installed: source.installed,
      reads: READING.has(verb),
      isHarmless: source.isRead ?? READING.has(verb),
      orderOf: (args) => source.orderOf?.(args) ?? null,
      spoken: new Set(
        [...source.hints, source.name.replaceAll('_', ' ')].flatMap((hint) => tokenize(hint).map(({ lower }) => lower)),
      ),
      role: source.role,
      fields: source.fields,
      firstHint: source.hints[0] ?? source.name.replaceAll('_', ' '),
      hints: (hints[at] ?? []).map((hint) => hint.map(({ senses }) => intern(senses))),
      topics: new Set(topic.filter((word) => !isFiller(word)).flatMap(meaningsOfWord)),
      about: new Set(source.about.flatMap(meaningsOfWord)),
      values,
    };
  });
  const values = new Set(tools.flatMap((tool) => [...tool.values]));
  const written = writtenWords(sources, examples);
  return {
    tools,
    words,
    weight,
    spellings: spell(written),
    written,
    closed,
    values,
    orders: new Set(sources.filter(({ installed }) => installed).map(({ name }) => name.split('_')[0] ?? '')),
    forms,
    hintWords,
    nearness: new Map(),
  };
}
