import { sayQuestion } from '@signalbox/messages/say';
import type { IndexedTool } from '../rank/tool-index.ts';
import type { RequestFacts } from '@signalbox/contracts/tool-catalog';
import { isLabelOf } from '../slots/labels.ts';
import type { Choice } from './marks.ts';
import { knownNames } from '../names/mentions.ts';
import type { Field } from '../slots/schema.ts';
import type { SlotProblem } from '../slots/filling.ts';
import { type Step, askStep, sayStep } from './step.ts';
import { sensesOf, tokenize } from '../text/tokens.ts';
import { WORDS, inWordsOf } from '../words.ts';

/** More buttons than this are not read but scrolled past. */
const MOST_CHOICES = 8;

type Args = Readonly<Record<string, unknown>>;

/** Asks for one missing argument. Says so instead when there is nothing to choose from. */
export function askForSlot(
  tool: IndexedTool,
  args: Args,
  field: Field,
  facts: RequestFacts,
  text: string,
  tries: number,
): Step {
  if (hasNothingToChoose(field, facts))
    return sayStep(WORDS.noneKnown(inWordsOf(field.entity ?? field.name)), 'nothing-known');
  return ask(tool, args, field, facts, '', text, tries);
}

/** Says what is wrong with an argument and asks for it again. */
export function askForProblem(
  tool: IndexedTool,
  args: Args,
  problem: SlotProblem,
  facts: RequestFacts,
  text: string,
  tries: number,
): Step {
  const { field, written } = problem;
  if (problem.kind === 'which-name') {
    const choices = problem.candidates.slice(0, MOST_CHOICES).map((value) => ({ label: value, value }));
    const question = (field.ask && sayQuestion(field.ask)) ?? defaultQuestion(field);
    const raised = { tool: tool.name, args: { ...args }, slot: field.name, choices, question, text, tries };
    return askStep(`${WORDS.whichOf(written)} ${question}`, raised);
  }
  const thing = inWordsOf(problem.kind === 'unknown-name' ? (field.entity ?? field.name) : field.name);
  const reason =
    problem.kind === 'unknown-name' ? WORDS.unknownName(thing, written) : WORDS.invalid(thing, written, problem.wanted);
  return ask(tool, args, field, facts, reason, text, tries);
}

/** Asks for an argument again because the tool knows nothing of that name. */
export function askAfterFailure(
  tool: IndexedTool,
  args: Args,
  field: Field,
  facts: RequestFacts,
  sentence: string,
): Step {
  return ask(tool, args, field, facts, sentence, '', 1);
}

/**
 * A tool that changes a thing, when the text says what to change but not into what, or nothing at all: asks for it. Null when
 * some change is known, or the tool does not change things.
 */
export function askWhatToChange(tool: IndexedTool, args: Args, text: string, facts: RequestFacts): Step | null {
  if (!isChange(tool)) return null;
  const optional = tool.fields.filter(({ required, rules }) => !required && rules.default === undefined);
  if (optional.some(({ name }) => Object.hasOwn(args, name))) return null;
  const labelled = optional.find((field) => tokenize(text).some(({ lower }) => isLabelOf(lower, field)));
  const [first] = optional;
  if (labelled) return ask(tool, args, labelled, facts, '', text, 0);
  if (!first) return null;
  const thing = tool.fields.flatMap(({ name, required }) =>
    required && Object.hasOwn(args, name) ? [String(args[name])] : [],
  );
  const choices = optional.map(({ name }) => inWordsOf(name));
  const question = WORDS.whatToChange(thing.join(', '), choices.join(', '));
  return askStep(question, {
    tool: tool.name,
    args: { ...args },
    slot: first.name,
    choices: choices.slice(0, MOST_CHOICES).map((label) => ({ label, value: label })),
    question,
    text,
    tries: 0,
  });
}

/** Whether the tool's name says that it changes a thing that is there: update_…, change_…. */
export function isChange(tool: IndexedTool): boolean {
  const [verb = ''] = tool.name.split('_');
  return !tool.isHarmless && sensesOf(verb)[0]?.meaning === 'CHANGE' && tool.fields.some(({ required }) => required);
}

/** The values that a field can be given by button: its enum, or the names that are known. */
function choicesFor(field: Field, facts: RequestFacts): readonly Choice[] {
  const values = field.choices.length > 0 ? field.choices : knownNames(facts, field.entity);
  const current = facts.currentProject;
  const sorted =
    field.entity === 'project' && current !== null && values.includes(current)
      ? [current, ...values.filter((value) => value !== current)]
      : values;
  return sorted.slice(0, MOST_CHOICES).map((value) => ({ label: value, value }));
}

function ask(
  tool: IndexedTool,
  args: Args,
  field: Field,
  facts: RequestFacts,
  reason: string,
  text: string,
  tries: number,
): Step {
  const question = (field.ask && sayQuestion(field.ask)) ?? defaultQuestion(field);
  return askStep(reason === '' ? question : `${reason} ${question}`, {
    tool: tool.name,
    args: { ...args },
    slot: field.name,
    choices: field.entity === 'name' ? [] : choicesFor(field, facts),
    question,
    text,
    tries,
  });
}

function defaultQuestion(field: Field): string {
  if (field.choices.length > 0 || (field.entity !== null && field.entity !== 'text' && field.entity !== 'name'))
    return WORDS.which(inWordsOf(field.name));
  return WORDS.whatShould(inWordsOf(field.name));
}

function hasNothingToChoose(field: Field, facts: RequestFacts): boolean {
  const kind = field.entity;
  if (kind === null || field.choices.length > 0 || ['name', 'text', 'port'].includes(kind)) return false;
  return Object.hasOwn(facts.known, kind) && knownNames(facts, kind).length === 0;
}
