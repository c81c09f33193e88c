import type { RequestFacts } from '@signalbox/contracts/tool-catalog';
import { takesAddress } from '../text/quantities.ts';
import { type Field, problemOf } from './schema.ts';

/** Whether the field holds a name that is new. */
export function takesNewName(field: Field): boolean {
  return field.entity === 'name' || (field.entity === null && field.name === 'name' && field.type === 'string');
}

/** Whether the field holds a version, a tag or a branch. */
export function takesVersion(field: Field): boolean {
  return isPlainString(field) && /version|tag|release|branch|revision/i.test(field.name);
}

/** Whether the field holds a text that is looked for. */
export function takesSearchText(field: Field): boolean {
  return isPlainString(field) && !field.required && /filter|contain|grep|query|search|match|pattern/i.test(field.name);
}

/** Whether the field holds a short name of something that nobody lists, such as a service or a node. */
export function takesIdentifier(field: Field): boolean {
  if (!isPlainString(field) || takesVersion(field) || takesSearchText(field) || takesNewName(field)) return false;
  if (FREE_TEXT.test(field.name)) return false;
  return field.rules.pattern === undefined && (field.rules.maxLength ?? Infinity) <= LONGEST_IDENTIFIER;
}

const LONGEST_IDENTIFIER = 100;

const FREE_TEXT = /desc|text|summary|message|note|comment|reason|purpose|title|body|content|subject/i;

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

function isPlainString(field: Field): boolean {
  return field.type === 'string' && field.choices.length === 0 && (field.entity === null || field.entity === 'text');
}

/** Whether the field holds free text. */
export function takesText(field: Field): boolean {
  if (field.type !== 'string' || field.choices.length > 0 || takesAddress(field) || takesOneWord(field)) return false;
  if (takesVersion(field) || takesSearchText(field) || takesIdentifier(field)) return false;
  return field.entity === 'text' || (field.entity === null && !takesNewName(field));
}

/** Whether the field holds a word that is no name: its pattern allows no spaces. */
export function takesOneWord(field: Field): boolean {
  if (field.type !== 'string' || field.choices.length > 0 || takesAddress(field) || takesNewName(field)) return false;
  return (
    field.rules.pattern !== undefined && problemOf(field, 'two words') !== null && ['text', null].includes(field.entity)
  );
}

/** Whether the field holds the name of a thing that exists already. */
export function takesKnownName(field: Field, facts: Pick<RequestFacts, 'known'>): boolean {
  if (field.entity === null || field.choices.length > 0 || field.type !== 'string') return false;
  return !['name', 'text', 'port'].includes(field.entity) || Object.hasOwn(facts.known, field.entity);
}
