import { type Field, findProblem } from './schema.ts';
import { sensesOf, stem, wordSet } from '../text/tokens.ts';

/*
 * The kind of value that a field takes, judged by its schema and name. Values of each kind are read in fill.ts. A field without an entity
 * has the first kind below that fits.
 */

const LONGEST_IDENTIFIER = 100;
const FREE_TEXT = /desc|text|summary|message|note|reason|purpose|title|body|content/i;

/** `search-text` is looked for in other texts; `one-word` has a pattern without spaces; `identifier` names something not on any list. */
type Kind = 'new-name' | 'address' | 'version' | 'search-text' | 'one-word' | 'identifier' | 'text' | null;

/** Returns the kind of value that a field takes; null for a choice, a number, or the name of an existing thing. */
export function getValueKind(field: Field): Kind {
  const { name, entity, type, choices, rules, required } = field;
  if (entity === 'name' || (entity === null && name === 'name' && rules.pattern === undefined)) return 'new-name';
  if (type === 'string' && (rules.format === 'uri' || /^(?:repo(?:sitory)?|url|link)$/i.test(name))) return 'address';
  if (type !== 'string' || choices.length > 0 || (entity !== null && entity !== 'text')) return null;
  if (/version|tag|release$|branch|revision/i.test(name)) return 'version';
  if (!required && /^(?:text|filter|grep|query)$/i.test(name)) return 'search-text';
  if (rules.pattern !== undefined && findProblem(field, 'two words') !== null) return 'one-word';
  const isShort = rules.pattern === undefined && (rules.maxLength ?? Infinity) <= LONGEST_IDENTIFIER;
  return isShort && !FREE_TEXT.test(name) ? 'identifier' : 'text';
}

/** True when the values of a field have a recognizable form, such as user_1001_3, secret:key or /run/my.sock. */
export function hasDistinctForm(field: Field): boolean {
  const isTelling = /^\^(?:[a-z0-9]{2,}[_:-]|\\?\/)/i.test(field.rules.pattern ?? '');
  return getValueKind(field) === 'one-word' && isTelling && findProblem(field, 'word') !== null;
}

/** True when the field holds the name of an existing thing. */
export function takesKnownName({ type, choices, entity }: Field): boolean {
  return type === 'string' && choices.length === 0 && entity !== null && !['name', 'text', 'port'].includes(entity);
}

const UNITS = wordSet('mb gb kb ms bytes seconds minutes hours to since');

/** True when a word names the field: mem for memory, env for environment. */
export function isLabelOf(word: string, { name }: Pick<Field, 'name'>): boolean {
  const [meant] = sensesOf(word);
  return splitFieldName(name).some((part) => {
    if (UNITS.has(part)) return false;
    const [own] = sensesOf(part);
    return stem(part) === stem(word) || (meant?.share === 1 && own?.share === 1 && own.meaning === meant.meaning);
  });
}

/** Splits a field name into words: `sshPort` becomes ssh, port. */
export function splitFieldName(name: string): readonly string[] {
  return name
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[ _]/);
}
