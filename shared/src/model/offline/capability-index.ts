import type { BoundTool } from '../bound-tool.ts';
import type { PlannerCatalog, PlannerTool } from './catalog.ts';
import { readFields, type Field } from './schema.ts';
import { isFiller, meaningOf, meaningsOf, tokenize } from './tokens.ts';
import { CONCEPTS } from './vocabulary.ts';
import { withValuePlaceholders } from './quantities.ts';

/** A tool, prepared for comparing it with what people say. */
export interface IndexedTool {
  readonly name: string;
  /** The group it belongs to; null for a tool that is bound but in no group. */
  readonly group: string | null;
  readonly summary: string;
  readonly installed: boolean;
  readonly fields: readonly Field[];
  readonly firstHint: string;
  /** Its hints and its name, as meanings. */
  readonly hints: readonly (readonly string[])[];
  /** Meanings of all that is written about it. */
  readonly about: ReadonlySet<string>;
}

export interface CapabilityIndex {
  readonly tools: readonly IndexedTool[];
  /** Every meaning that some tool speaks of. */
  readonly words: ReadonlySet<string>;
  /** How telling a meaning is: the fewer tools speak of it, the more. */
  readonly weight: ReadonlyMap<string, number>;
  /** Every word as written → its meaning, for forgiving mistyped ones. */
  readonly spellings: ReadonlyMap<string, string>;
}

/** One tool as it is indexed: read once, looked at from several sides. */
interface Source {
  readonly name: string;
  readonly group: string | null;
  readonly summary: string;
  readonly installed: boolean;
  readonly hints: readonly string[];
  readonly fields: readonly Field[];
  readonly hintMeanings: readonly (readonly string[])[];
  readonly about: readonly string[];
}

/** A catalog is indexed once. Catalogs are never changed in place; a new one is a new object. */
const indexed = new WeakMap<PlannerCatalog, CapabilityIndex>();

/**
 * Prepares all groups of the catalog, and bound tools that no group declares.
 * Base tools are left out: nobody asks for them by hint.
 */
export function indexCapabilities(
  catalog: PlannerCatalog,
  bound: readonly BoundTool[],
  baseTools: ReadonlySet<string>,
): CapabilityIndex {
  const named = new Set(catalog.groups.flatMap((group) => group.tools.map((tool) => tool.name)));
  const extra = bound.filter((tool) => !named.has(tool.name) && !baseTools.has(tool.name));
  const known = extra.length === 0 ? indexed.get(catalog) : undefined;
  if (known) return known;
  const sources = [
    ...catalog.groups.flatMap((group) =>
      group.tools
        .filter((tool) => !baseTools.has(tool.name))
        .map((tool) => readSource(tool, { group: group.name, summary: group.summary, installed: group.installed })),
    ),
    ...extra.map(({ name, description, schema }) =>
      readSource(
        { name, describe: description, hints: [], schema },
        { group: null, summary: description, installed: true },
      ),
    ),
  ];
  const index = buildIndex(sources);
  if (extra.length === 0) indexed.set(catalog, index);
  return index;
}

function buildIndex(sources: readonly Source[]): CapabilityIndex {
  const examples = findExamples(sources);
  const tools = sources.map((tool) => indexTool(tool, examples));
  const words = new Set(tools.flatMap((tool) => [...tool.about, ...tool.hints.flat()]));
  return { tools, words, weight: weigh(tools, words), spellings: spell(sources, examples) };
}

function readSource(
  tool: PlannerTool,
  group: { readonly group: string | null; readonly summary: string; readonly installed: boolean },
): Source {
  const fields = readFields(tool.schema);
  return {
    ...group,
    name: tool.name,
    hints: tool.hints,
    fields,
    hintMeanings: tool.hints.map((hint) => meaningsOf(withValuePlaceholders(hint))),
    about: meaningsOf(`${tool.name} ${tool.describe} ${fieldWords(fields)}`),
  };
}

function indexTool(tool: Source, examples: ReadonlySet<string>): IndexedTool {
  const hints = tool.hintMeanings.map((hint) => hint.map((word) => (examples.has(word) ? '¤any' : word)));
  return {
    name: tool.name,
    group: tool.group,
    summary: tool.summary,
    installed: tool.installed,
    fields: tool.fields,
    firstHint: tool.hints[0] ?? tool.name.replaceAll('_', ' '),
    hints: [...hints, meaningsOf(tool.name)],
    about: new Set(tool.about),
  };
}

/**
 * Words of hints that stand for any name, such as shop in "list ports of shop": they look like one (web-1), or the hints of two
 * tools that take names use them and nothing else speaks of them.
 */
function findExamples(tools: readonly Source[]): ReadonlySet<string> {
  const summaries = new Set(tools.map(({ summary }) => summary));
  const grammar = new Set([
    ...tools.flatMap(({ about }) => about),
    ...[...summaries].flatMap((text) => meaningsOf(text)),
  ]);
  const users = new Map<string, number>();
  const examples = new Set<string>();
  for (const { fields, hintMeanings } of tools) {
    const takesNames = fields.some((field) => field.entity !== null && field.choices.length === 0);
    for (const word of new Set(hintMeanings.flat())) {
      if (/^[a-z]+-?\d/.test(word)) examples.add(word);
      if (!takesNames || grammar.has(word) || /^[A-Z¤]/.test(word) || CONCEPTS.has(word)) continue;
      users.set(word, (users.get(word) ?? 0) + 1);
    }
  }
  for (const [word, count] of users) if (count > 1) examples.add(word);
  return examples;
}

function fieldWords(fields: readonly Field[]): string {
  return fields
    .map((field) => `${field.name.replace(/([a-z])([A-Z])/g, '$1 $2')} ${field.choices.join(' ')}`)
    .join(' ');
}

function weigh(tools: readonly IndexedTool[], words: ReadonlySet<string>): ReadonlyMap<string, number> {
  const spokenOf = new Map<string, number>();
  for (const tool of tools) {
    for (const word of new Set(tool.hints.flat())) spokenOf.set(word, (spokenOf.get(word) ?? 0) + 1);
  }
  return new Map([...words].map((word) => [word, Math.log(1 + tools.length / (spokenOf.get(word) ?? 1)) + 0.5]));
}

function spell(tools: readonly Source[], examples: ReadonlySet<string>): ReadonlyMap<string, string> {
  const text = tools.map(
    (tool) => `${tool.name.replaceAll('_', ' ')} ${tool.hints.join(' ')} ${fieldWords(tool.fields)}`,
  );
  const written = tokenize(text.join(' '))
    .map((token) => token.lower)
    .filter((word) => !isFiller(word) && !/\d/.test(word) && !examples.has(meaningOf(word)));
  return new Map([...CONCEPTS.keys(), ...written].map((word) => [word, meaningOf(word)]));
}
