import { fits, TELLING } from './telling-values.ts';
import { type Asked, THINGS, likeSenses } from './asked-words.ts';
import type { HintWord, IndexedTool } from './capability-index.ts';
import { EFFECTS, VERBS } from '../text/concepts.ts';
import { takesNewName, takesOneWord, takesText, takesVersion } from '../slots/field-kinds.ts';
import { isLabelOf } from '../slots/labels.ts';
import { OUTSIDE_ACTIONS, OUTSIDE_WORDS } from '../text/outside-words.ts';
import { hasUnit, takesAddress } from '../text/quantities.ts';
import type { Field } from '../slots/schema.ts';
import { sensesOf } from '../text/tokens.ts';

/** "show projects" is rather about all projects than about one that is not named. */
export const UNNAMED_DOUBT = 0.1;

/** A tool that cannot take the thing that was named is hardly meant. */
const FOREIGN_NAME = 0.16;

/** "servers" asks for a list, "a server" for one. */
const PLURAL = 0.05;

/** Somebody who says "delete" does not mean a tool that deletes nothing. */
const OTHER_ACTION = 0.2;

/** "Clear the state" is no wish to see the state. */
const LEADING_ACTION = 0.12;

const UNTOUCHED_TOPIC = 0.08;

const OTHER_TOPIC = 0.25;

const UNSAID_ACTION = 0.08;

/** Where no action is spoken of, none is meant. */
const NO_ACTION = 0.3;

/** A value that only one kind of argument looks like is a strong sign. */
export const OWN_FORM = 0.12;

const FORM_BONUS = 0.15;

/** Words of errands that no operations bot runs. */
const OUTSIDE_DOUBT = 0.2;

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

/** Whether the text surely speaks of an action, and the tool does none like it. */
export function otherAction(asked: readonly Asked[], tool: IndexedTool): number {
  const actions = asked.filter(({ senses, soft }) => !soft && senses[0]?.share === 1 && EFFECTS.has(senses[0].meaning));
  if (actions.length === 0) return 0;
  const done = actions.some((word) => tool.values.has(word.stem) || tool.hints.some((hint) => hit(word, hint) >= 0.4));
  return done ? 0 : OTHER_ACTION;
}

/** An order to change something is none to look at something. */
export function leadingAction(asked: readonly Asked[], tool: IndexedTool): number {
  const [first] = asked.filter(({ kind }) => kind !== 'ordinary');
  if (!tool.reads || !first || first.implied || first.soft) return 0;
  return first.senses.every(({ meaning }) => EFFECTS.has(meaning)) ? LEADING_ACTION : 0;
}

/** Nobody means a rollback who speaks of nothing like it. */
export function unsaidAction(asked: readonly Asked[], tool: IndexedTool): number {
  const [verb] = sensesOf(tool.name.split('_')[0] ?? '');
  if (tool.reads || !tool.installed) return 0;
  // What is told is reason enough to look at it: "shop is slow".
  if (verb?.share === 1 && VERBS.has(verb.meaning) && !EFFECTS.has(verb.meaning)) return 0;
  // What a hint begins with is what the tool does, even if the thesaurus does not know the word.
  const acts = asked.some(
    (word) =>
      tool.values.has(word.stem) ||
      tool.hints.some((hint) =>
        hint.some(({ id, senses, isPlaceholder }, at) => {
          const action = EFFECTS.has(senses[0]?.meaning ?? '') || (at === 0 && !isPlaceholder);
          return action && !word.word.startsWith('¤') && (word.near[id] ?? 0) >= 0.4;
        }),
      ),
  );
  const complete =
    asked.some(({ word }) => TELLING.has(word)) &&
    tool.fields.every((field) => !field.required || asked.some(({ word }) => fits(field, word)));
  if (complete) return 0;
  if (!acts && labelBonus(asked, tool) === 0 && !asked.some(({ word }) => word === '¤called')) return NO_ACTION;
  if (verb?.share !== 1 || !EFFECTS.has(verb.meaning)) return 0;
  const said = asked.some(
    (word) =>
      tool.values.has(word.stem) ||
      likeSenses(word.senses, [verb]) >= 0.4 ||
      (word.word === '¤size' && tool.fields.some(({ name, required }) => required && hasUnit(name))) ||
      (word.kind === 'value' && !['¤version', '¤number', '¤size'].includes(word.word)),
  );
  return said ? 0 : UNSAID_ACTION;
}

export function outsideDoubt(asked: readonly Asked[], tool: IndexedTool): number {
  const [first] = asked;
  // What a tool is called after is no errand to it: mute_service mutes.
  if (first && OUTSIDE_ACTIONS.has(first.word)) return first.word === tool.name.split('_')[0] ? 0 : OUTSIDE_DOUBT * 1.5;
  if (asked.some(({ kind }) => kind === 'name')) return 0;
  return OUTSIDE_DOUBT * Math.min(2, asked.filter(({ word }) => OUTSIDE_WORDS.has(word)).length);
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

/** Who names three arguments of a tool fills in its form: "name x, host y, cpus 2". */
export function labelBonus(asked: readonly Asked[], tool: IndexedTool): number {
  if (tool.reads || !tool.installed) return 0;
  const labelled = tool.fields.filter((field) =>
    asked.some(({ word, kind }) => kind !== 'name' && kind !== 'value' && isLabelOf(word, field)),
  );
  return labelled.length >= 3 ? FORM_BONUS : 0;
}

/** Lists are of many, the rest is of one. */
export function pluralBonus(asked: readonly Asked[], tool: IndexedTool): number {
  const plural = asked.some(
    ({ word, senses }) => /[^su]s$/.test(word) && senses.some(({ meaning }) => tool.topics.has(meaning)),
  );
  if (!plural || !tool.reads) return 0;
  return tool.name.startsWith('list_') ? PLURAL : -PLURAL;
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

const TELLING_VALUE = 0.3;

/** By the telling values of a text: how many tools need one. */
export function rarityOf(asked: readonly Asked[], tools: readonly IndexedTool[]): ReadonlyMap<string, number> {
  const telling = asked.filter(({ word }) => TELLING.has(word));
  return new Map(telling.map(({ word }) => [word, tools.filter((tool) => takes(tool, word)).length]));
}

/** What is left out of an order may be told by its values: "shop 3.0.1 on production". */
export function valueBonus(asked: readonly Asked[], tool: IndexedTool, rarity: ReadonlyMap<string, number>): number {
  if (tool.reads || !tool.installed) return 0;
  let bonus = 0;
  for (const [word, tools] of rarity) if (takes(tool, word) && tools > 0) bonus += TELLING_VALUE / tools;
  const needed = tool.fields.filter(({ required }) => required);
  const complete = needed.length > 1 && needed.every((field) => asked.some(({ word }) => fits(field, word)));
  return complete && rarity.size > 0 ? bonus : bonus / 2;
}

function takes(tool: IndexedTool, word: string): boolean {
  return tool.fields.some((field) => fits(field, word));
}
