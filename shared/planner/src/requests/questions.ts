import { getCurrentLanguage } from '@signalbox/messages/language';
import { say, sayQuestion } from '@signalbox/messages/say';
import type { ModelRequestFacts } from '@signalbox/contracts/tool-catalog';
import { type Choice, type PlannedCall, type PlannerStep, toQuestionStep, toAnswerStep } from './marks.ts';
import { listKnownNames } from '../names/mentions.ts';
import type { IndexedTool, ToolIndex } from '../rank/tool-index.ts';
import type { SlotProblem } from '../slots/filling.ts';
import { isLabelOf } from '../slots/field-kinds.ts';
import type { Field } from '../slots/schema.ts';
import { sensesOf, wordsOf } from '../text/tokens.ts';
import { asExamples, asLine, formatFieldName } from '../words.ts';

/** Maximum number of buttons; people do not read longer lists. */
const MAX_CHOICES = 8;
/** Maximum length at which a refused value is shown. */
const SHOWN_LENGTH = 60;

/** The unfinished call that a question is about, with the texts about it. `tries`: number of repetitions. */
export interface PartialCall {
  readonly tool: IndexedTool;
  readonly args: Readonly<Record<string, unknown>>;
  readonly facts: ModelRequestFacts;
  readonly text: string;
  readonly tries: number;
}

/** Asks for an argument, optionally with a reason; says so when there is nothing to choose from. */
export function askForSlot(field: Field, call: PartialCall, reason = ''): PlannerStep {
  const { tool, args, facts, text, tries } = call;
  if (reason === '' && hasNothingToChoose(field, facts))
    return toAnswerStep(say('planner.none-known', { kind: formatFieldName(field.entity ?? field.name) }), 'failed');
  const question = (field.ask && sayQuestion(field.ask)) ?? defaultQuestion(field);
  const asked = { tool: tool.name, args: { ...args }, slot: field.name, choices: choicesFor(field, facts), question };
  return toQuestionStep(reason === '' ? question : `${reason} ${question}`, { ...asked, text, tries });
}

/** Says what is wrong with an argument, and asks for it again. */
export function askForCorrection(problem: SlotProblem, call: PartialCall): PlannerStep {
  const { field } = problem;
  const written = asLine(problem.written, SHOWN_LENGTH);
  if (problem.kind === 'invalid')
    return askForSlot(
      field,
      call,
      say('planner.invalid', { thing: formatFieldName(field.name), written, wanted: problem.wanted }),
    );
  const kind = formatFieldName(field.entity ?? field.name);
  return askForSlot(field, call, say('planner.unknown-name', { kind, name: written }));
}

/** Asks what to change when a call has no new value: the field that the text names, else the first. Null when it has a new value. */
export function askWhatToChange(call: PartialCall): PlannerStep | null {
  const { tool, args, text } = call;
  const [verb = ''] = tool.name.split('_');
  const isChange = sensesOf(verb)[0]?.meaning === 'CHANGE' && tool.fields.some(({ required }) => required);
  const optional = tool.fields.filter(({ required, rules }) => !required && rules.default === undefined);
  if (tool.isHarmless || !isChange || optional.some(({ name }) => Object.hasOwn(args, name))) return null;
  const field = optional.find((one) => wordsOf(text).some((word) => isLabelOf(word, one))) ?? optional[0];
  return field ? askForSlot(field, call) : null;
}

/** Lists the button values of a field: its enum, or the known names with the current project first. */
function choicesFor({ entity, choices }: Field, facts: ModelRequestFacts): readonly Choice[] {
  if (choices.length > 0) return asChoices(choices);
  const known = listKnownNames(facts, entity);
  const isCurrent = (name: string): boolean => entity === 'project' && name === facts.currentProject;
  return asChoices([...known.filter(isCurrent), ...known.filter((name) => !isCurrent(name))]);
}

function asChoices(values: readonly string[]): readonly Choice[] {
  return values.slice(0, MAX_CHOICES).map((value) => ({ label: value, value }));
}

function defaultQuestion({ name, entity, choices }: Field): string {
  const thing = formatFieldName(name);
  const isChosen = choices.length > 0 || (entity !== null && entity !== 'text' && entity !== 'name');
  return isChosen ? say('planner.which', { thing }) : say('planner.what-should', { thing });
}

function hasNothingToChoose({ entity, choices }: Field, facts: ModelRequestFacts): boolean {
  if (entity === null || choices.length > 0) return false;
  return Object.hasOwn(facts.known, entity) && listKnownNames(facts, entity).length === 0;
}

/** Maximum number of possible changes in a question; people do not compare more. */
const MAX_READINGS = 3;
export const SEARCH_TOOL = 'search_knowledge';
const LABEL_LENGTH = 60;

/** Offers up to three possible changes as buttons, each described exactly. */
export function askWhichIsMeant(readings: readonly PlannedCall[], text: string, index: ToolIndex) {
  const shown = readings.slice(0, MAX_READINGS);
  const said = shown.map((call) => sayChange(call, index));
  const [reading = ''] = said;
  const isOne = said.length === 1;
  const all = `${say('planner.which-is-meant')}\n\n${asExamples(said)}`;
  const question = isOne ? say('planner.is-meant', { reading }) : all;
  const labels = [...shown.map((call) => labelOf(call, index)), say('planner.none-of-these')];
  const choices = labels.map((label) => ({ label, value: label }));
  const asked = { tool: null, args: {}, slot: 'reading', choices, question, text, tries: 0, readings: shown };
  return toQuestionStep(question, asked);
}

/** Returns the button label of a change without a final period, because replies are compared without it. */
function labelOf(call: PlannedCall, index: ToolIndex): string {
  return asLine(sayChange(call, index, false), LABEL_LENGTH).replace(/[.…!?,\s]+$/, '');
}

/** Describes a change exactly: the action and its values. */
export function sayChange(call: PlannedCall, index: ToolIndex, isNamed = true): string {
  const values = Object.entries(call.args).map(([name, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return isNamed ? `${formatFieldName(name)} ${text}` : text;
  });
  const deed = formatToolName(call.tool);
  return orderOf(call, index) ?? (values.length === 0 ? deed : `${deed}: ${values.join(', ')}`);
}

/** True when the tool has a sentence for the change in the person's language, and not only an English name. */
export function isSayable(call: PlannedCall, index: ToolIndex): boolean {
  return getCurrentLanguage() === 'en' || orderOf(call, index) !== null;
}

/** Returns the tool's own sentence that describes a change. */
function orderOf({ tool, args }: PlannedCall, { tools }: ToolIndex): string | null {
  if (tool === SEARCH_TOOL) return say('planner.search-docs');
  return tools.find(({ name }) => name === tool)?.orderOf(args) ?? null;
}

/** Turns a tool name such as `create_project_intent` into "Create project". */
export function formatToolName(tool: string): string {
  const words = tool.replaceAll('_', ' ').replace(/ intent$/, '');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
