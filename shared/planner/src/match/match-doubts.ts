import { type Asked, THINGS } from './asked-words.ts';
import type { HintWord, IndexedTool } from './capability-index.ts';
import { EFFECTS } from '../text/concepts.ts';
import { takesNewName, takesOneWord, takesText, takesVersion } from '../slots/field-kinds.ts';
import { hasUnit, takesAddress } from '../text/quantities.ts';
import type { Field } from '../slots/schema.ts';

/** "show projects" is rather about all projects than about one that is not named. */
export const UNNAMED_DOUBT = 0.1;

/** A tool that cannot take the thing that was named is hardly meant. */
const FOREIGN_NAME = 0.16;

/** "servers" asks for a list, "a server" for one. */
const PLURAL = 0.05;

/** "Clear the state" is no wish to see the state. */
const LEADING_ACTION = 0.12;

const UNTOUCHED_TOPIC = 0.08;

const OTHER_TOPIC = 0.25;

/** A value that only one kind of argument looks like is a strong sign. */
export const OWN_FORM = 0.12;

/** Things that are named but that the tool cannot take. */
export function foreignNames(asked: readonly Asked[], tool: IndexedTool): number {
  if (!tool.installed) return 0;
  const foreign = asked.filter(({ kind, word }) => {
    if (word === '¤version') return !tool.fields.some(takesVersion);
    if (word === '¤host') return !tool.fields.some(takesOneWord);
    if (word === '¤url') return !tool.fields.some(takesAddress);
    if (word === '¤called') return !tool.fields.some(takesNewName);
    if (word === '¤size') return !tool.fields.some(({ name }) => hasUnit(name));
    if (kind !== 'name' || word === '¤unknown') return false;
    const kinds = word.slice(1).split('+');
    return !tool.fields.some(({ entity, name }) => (entity !== null && kinds.includes(entity)) || kinds.includes(name));
  });
  return FOREIGN_NAME * foreign.length;
}

/** An order to change something is none to look at something. */
export function leadingAction(asked: readonly Asked[], tool: IndexedTool): number {
  const [first] = asked.filter(({ kind }) => kind !== 'ordinary');
  if (!tool.reads || !first || first.implied || first.soft) return 0;
  return first.senses.every(({ meaning }) => EFFECTS.has(meaning)) ? LEADING_ACTION : 0;
}

/** "Delete the server" is no order to a tool that deletes ports. */
export function untouchedTopic(asked: readonly Asked[], tool: IndexedTool): number {
  if (tool.reads || !tool.installed || tool.topics.size === 0) return 0;
  const port = tool.fields.some(({ entity }) => entity === 'port');
  const touched = asked.some(({ word, senses }) => {
    if (word === '¤number') return port;
    const meanings = word.startsWith('¤') ? word.slice(1).split('+') : senses.map(({ meaning }) => meaning);
    if (tool.fields.some(({ name, entity }) => entity === null && meanings.includes(name))) return true;
    return meanings.some((meaning) => tool.topics.has(meaning) || meaning === 'called');
  });
  if (touched) return 0;
  if (asked.some(({ senses }) => senses[0]?.share === 1 && THINGS.has(senses[0].meaning))) return OTHER_TOPIC;
  // Who makes something new names the thing and not its kind: "I want to build a booking system".
  return tool.fields.some((field) => field.required && takesText(field)) ? 0 : UNTOUCHED_TOPIC;
}

/** Lists are of many. */
export function pluralBonus(asked: readonly Asked[], tool: IndexedTool): number {
  const isPlural = asked.some(
    ({ word, senses }) => /[^su]s$/.test(word) && senses.some(({ meaning }) => tool.topics.has(meaning)),
  );
  return isPlural && tool.name.startsWith('list_') ? PLURAL : 0;
}

/** Whether the tool is about one thing of a kind, and the text names none. */
export function isUnnamed({ required, entity, choices }: Field, asked: readonly Asked[]): boolean {
  if (!required || entity === null || choices.length > 0 || entity === 'text' || entity === 'name') return false;
  return !asked.some(({ word }) => word.startsWith('¤'));
}

export function hit({ near }: Asked, hint: readonly HintWord[]): number {
  let best = 0;
  for (const { id } of hint) best = Math.max(best, near[id] ?? 0);
  return best;
}
