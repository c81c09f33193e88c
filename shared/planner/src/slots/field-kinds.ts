import { type Field, problemOf } from './schema.ts';
import { stem } from '../text/thesaurus.ts';
import { sensesOf } from '../text/tokens.ts';

/*
 * What a field takes, as its schema and its name tell: each field is of one of these kinds, and each kind has its grammar in fill.ts.
 */

/** Whether the field holds a name that is new. */
export function takesNewName(field: Field): boolean {
  return (
    field.entity === 'name' || (field.entity === null && field.name === 'name' && field.rules.pattern === undefined)
  );
}

/** Whether the field holds a version, a tag or a branch. */
export function takesVersion(field: Field): boolean {
  return isPlainString(field) && /version|tag|release$|branch|revision/i.test(field.name);
}

/** Whether the field holds a text that is looked for. */
export function takesSearchText(field: Field): boolean {
  return isPlainString(field) && !field.required && /^(?:text|filter|grep|query)$/i.test(field.name);
}

/** Whether the field holds an address such as https://… or git@…. */
export function takesAddress(field: Field): boolean {
  return (
    field.type === 'string' && (field.rules.format === 'uri' || /^(?:repo(?:sitory)?|url|link)$/i.test(field.name))
  );
}

const LONGEST_IDENTIFIER = 100;
const FREE_TEXT = /desc|text|summary|message|note|reason|purpose|title|body|content/i;

/** Whether the field holds a short name of something that nobody lists, such as a service. */
export function takesIdentifier(field: Field): boolean {
  if (!isPlainString(field) || takesVersion(field) || takesSearchText(field) || takesNewName(field)) return false;
  return (
    !FREE_TEXT.test(field.name) &&
    field.rules.pattern === undefined &&
    (field.rules.maxLength ?? Infinity) <= LONGEST_IDENTIFIER
  );
}

/** Whether only values of a certain form fit the field, so that one is recognized wherever it stands: user_1001_3, secret:key. */
export function hasTellingForm(field: Field): boolean {
  const { pattern } = field.rules;
  return (
    isPlainString(field) &&
    pattern !== undefined &&
    /^\^[a-z0-9]{2,}[_:-]/i.test(pattern) &&
    problemOf(field, 'word') !== null
  );
}

/** Whether the field holds one word that is no name: its pattern allows no spaces. */
export function takesOneWord(field: Field): boolean {
  if (!isPlainString(field) || takesAddress(field) || takesNewName(field) || takesVersion(field)) return false;
  return field.rules.pattern !== undefined && problemOf(field, 'two words') !== null;
}

/** Whether the field holds free text. */
export function takesText(field: Field): boolean {
  if (!isPlainString(field) || takesAddress(field) || takesOneWord(field) || takesVersion(field)) return false;
  return !takesSearchText(field) && !takesIdentifier(field) && !takesNewName(field);
}

/** Whether the field holds the name of a thing that exists already. */
export function takesKnownName(field: Field): boolean {
  return (
    field.type === 'string' &&
    field.choices.length === 0 &&
    field.entity !== null &&
    !['name', 'text', 'port'].includes(field.entity)
  );
}

function isPlainString(field: Field): boolean {
  return field.type === 'string' && field.choices.length === 0 && (field.entity === null || field.entity === 'text');
}

const UNITS: ReadonlySet<string> = new Set('mb gb kb ms bytes seconds minutes hours to since'.split(' '));

/** Whether a word names the field: mem and memory, env and environment. */
export function isLabelOf(word: string, { name }: Pick<Field, 'name'>): boolean {
  const [meant] = sensesOf(word);
  return labelOf(name).some((part) => {
    if (UNITS.has(part)) return false;
    const [own] = sensesOf(part);
    return stem(part) === stem(word) || (meant?.share === 1 && own?.share === 1 && own.meaning === meant.meaning);
  });
}

/** `sshPort` → ssh, port. */
export function labelOf(name: string): readonly string[] {
  return name
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[ _]/);
}
