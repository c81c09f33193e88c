import { say, sayQuestion } from '@signalbox/messages/say';
import type { RequestFacts } from '@signalbox/contracts/tool-catalog';
import type { Choice } from './marks.ts';
import { type Step, askStep, sayStep } from './step.ts';
import { knownNames } from '../names/mentions.ts';
import type { IndexedTool } from '../rank/tool-index.ts';
import type { SlotProblem } from '../slots/filling.ts';
import { isLabelOf } from '../slots/labels.ts';
import type { Field } from '../slots/schema.ts';
import { sensesOf, wordsOf } from '../text/tokens.ts';
import { asLine, inWordsOf } from '../words.ts';

/** More buttons than this are not read but scrolled past. */
const MOST_CHOICES = 8;
/** How much of a refused value is repeated. */
const SHOWN_LENGTH = 60;

/** The call that a question is about, as far as it is known, and what was said of it; `tries` counts how often it has been put again. */
export interface Unfinished {
  readonly tool: IndexedTool;
  readonly args: Readonly<Record<string, unknown>>;
  readonly facts: RequestFacts;
  readonly text: string;
  readonly tries: number;
}

/** Asks for an argument, after the reason why, if there is one. Says so instead when there is nothing to choose from. */
export function askForSlot(field: Field, call: Unfinished, reason = '', choices = choicesFor(field, call.facts)): Step {
  const { tool, args, facts, text, tries } = call;
  if (reason === '' && hasNothingToChoose(field, facts))
    return sayStep(say('planner.none-known', { kind: inWordsOf(field.entity ?? field.name) }), 'nothing-known');
  const question = (field.ask && sayQuestion(field.ask)) ?? defaultQuestion(field);
  const asked = { tool: tool.name, args: { ...args }, slot: field.name, choices, question, text, tries };
  return askStep(reason === '' ? question : `${reason} ${question}`, asked);
}

/** Says what is wrong with an argument and asks for it again. */
export function askForProblem(problem: SlotProblem, call: Unfinished): Step {
  const { field, kind } = problem;
  const written = asLine(problem.written, SHOWN_LENGTH);
  switch (kind) {
    case 'which-name':
      return askForSlot(field, call, say('planner.which-of', { written }), asChoices(problem.candidates));
    case 'unknown-name': {
      const thing = inWordsOf(field.entity ?? field.name);
      return askForSlot(field, call, say('planner.unknown-name', { kind: thing, name: written }));
    }
    case 'invalid': {
      const { wanted } = problem;
      return askForSlot(field, call, say('planner.invalid', { thing: inWordsOf(field.name), written, wanted }));
    }
  }
}

/**
 * A tool that changes a thing, when the text says what to change but not into what, or nothing at all: asks for it. Null when
 * some change is known, or the tool does not change things.
 */
export function askWhatToChange(call: Unfinished): Step | null {
  const { tool, args, text } = call;
  if (!isChange(tool)) return null;
  const optional = tool.fields.filter(({ required, rules }) => !required && rules.default === undefined);
  if (optional.some(({ name }) => Object.hasOwn(args, name))) return null;
  const labelled = optional.find((field) => wordsOf(text).some((word) => isLabelOf(word, field)));
  if (labelled) return askForSlot(labelled, call);
  const [first] = optional;
  if (!first) return null;
  const things = tool.fields.flatMap(({ name, required }) => (required ? [String(args[name] ?? '')] : []));
  const choices = optional.map(({ name }) => inWordsOf(name));
  const question = say('planner.what-to-change', { thing: things.join(', '), choices: choices.join(', ') });
  const asked = { tool: tool.name, args: { ...args }, slot: first.name, choices: asChoices(choices), question };
  return askStep(question, { ...asked, text, tries: 0 });
}

/** Whether the tool's name says that it changes a thing that is there: update_…, change_…. */
export function isChange(tool: IndexedTool): boolean {
  const [verb = ''] = tool.name.split('_');
  return !tool.isHarmless && sensesOf(verb)[0]?.meaning === 'CHANGE' && tool.fields.some(({ required }) => required);
}

/** The values that a field can be given by button: its enum, or the names that are known, that of the conversation first. */
function choicesFor({ entity, choices }: Field, facts: RequestFacts): readonly Choice[] {
  if (choices.length > 0) return asChoices(choices);
  const known = knownNames(facts, entity);
  const isCurrent = (name: string): boolean => entity === 'project' && name === facts.currentProject;
  return asChoices([...known.filter(isCurrent), ...known.filter((name) => !isCurrent(name))]);
}

function asChoices(values: readonly string[]): readonly Choice[] {
  return values.slice(0, MOST_CHOICES).map((value) => ({ label: value, value }));
}

function defaultQuestion({ name, entity, choices }: Field): string {
  const thing = inWordsOf(name);
  const isChosen = choices.length > 0 || (entity !== null && entity !== 'text' && entity !== 'name');
  return isChosen ? say('planner.which', { thing }) : say('planner.what-should', { thing });
}

function hasNothingToChoose({ entity, choices }: Field, facts: RequestFacts): boolean {
  if (entity === null || choices.length > 0) return false;
  return Object.hasOwn(facts.known, entity) && knownNames(facts, entity).length === 0;
}
