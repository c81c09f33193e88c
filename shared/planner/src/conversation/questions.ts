import { say, sayQuestion } from '@signalbox/messages/say';
import type { RequestFacts } from '@signalbox/contracts/tool-catalog';
import { type Choice, type Step, askStep, sayStep } from './marks.ts';
import { knownNames } from '../names/mentions.ts';
import type { IndexedTool } from '../rank/tool-index.ts';
import type { SlotProblem } from '../slots/filling.ts';
import { isLabelOf } from '../slots/field-kinds.ts';
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
export function askForSlot(field: Field, call: Unfinished, reason = ''): Step {
  const { tool, args, facts, text, tries } = call;
  if (reason === '' && hasNothingToChoose(field, facts))
    return sayStep(say('planner.none-known', { kind: inWordsOf(field.entity ?? field.name) }), 'nothing-known');
  const question = (field.ask && sayQuestion(field.ask)) ?? defaultQuestion(field);
  const asked = { tool: tool.name, args: { ...args }, slot: field.name, choices: choicesFor(field, facts), question };
  return askStep(reason === '' ? question : `${reason} ${question}`, { ...asked, text, tries });
}

/** Says what is wrong with an argument and asks for it again. */
export function askForProblem(problem: SlotProblem, call: Unfinished): Step {
  const { field } = problem;
  const written = asLine(problem.written, SHOWN_LENGTH);
  if (problem.kind === 'invalid')
    return askForSlot(
      field,
      call,
      say('planner.invalid', { thing: inWordsOf(field.name), written, wanted: problem.wanted }),
    );
  const kind = inWordsOf(field.entity ?? field.name);
  return askForSlot(field, call, say('planner.unknown-name', { kind, name: written }));
}

/** A tool that changes a thing needs something to change: asks for what the text names, else for the first thing. Null when it is known. */
export function askWhatToChange(call: Unfinished): Step | null {
  const { tool, args, text } = call;
  const [verb = ''] = tool.name.split('_');
  const isChange = sensesOf(verb)[0]?.meaning === 'CHANGE' && tool.fields.some(({ required }) => required);
  const optional = tool.fields.filter(({ required, rules }) => !required && rules.default === undefined);
  if (tool.isHarmless || !isChange || optional.some(({ name }) => Object.hasOwn(args, name))) return null;
  const field = optional.find((one) => wordsOf(text).some((word) => isLabelOf(word, one))) ?? optional[0];
  return field ? askForSlot(field, call) : null;
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
