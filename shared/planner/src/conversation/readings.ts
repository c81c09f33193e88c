import { currentLanguage } from '@signalbox/messages/language';
import { say } from '@signalbox/messages/say';
import { type PlannedCall, type Step, askStep } from './marks.ts';
import type { ToolIndex } from '../rank/tool-index.ts';
import { asExamples, asLine, inWordsOf } from '../words.ts';

/** A person reads three buttons; of more, none. */
export const MOST_READINGS = 3;
export const SEARCH = 'search_knowledge';
const LABEL_LENGTH = 60;

/** Offers up to three readings as buttons that say the exact change. */
export function askWhichIsMeant(readings: readonly PlannedCall[], text: string, index: ToolIndex): Step {
  const shown = readings.slice(0, MOST_READINGS);
  const said = shown.map((call) => readingOf(call, index));
  const question =
    said.length === 1
      ? say('planner.is-meant', { reading: said.join('') })
      : `${say('planner.which-is-meant')}\n\n${asExamples(said)}`;
  const labels = [...shown.map((call) => labelOf(call, index)), say('planner.none-of-these')];
  const choices = labels.map((label) => ({ label, value: label }));
  return askStep(question, {
    tool: null,
    args: {},
    slot: 'reading',
    choices,
    question,
    text,
    tries: 0,
    readings: shown,
  });
}

/** The change on a button: what is done, and the values alone. Without a stop at its end, which is taken off an answer before it is compared. */
function labelOf(call: PlannedCall, index: ToolIndex): string {
  const order = orderOf(call, index) ?? ordered(call.tool, Object.values(call.args).map(inText));
  return asLine(order, LABEL_LENGTH).replace(/[.!?,\s]+$/, '');
}

/** The exact change, for people: what is done, and with which values. */
export function readingOf(call: PlannedCall, index: ToolIndex): string {
  const values = Object.entries(call.args).map(([name, value]) => `${inWordsOf(name)} ${inText(value)}`);
  return orderOf(call, index) ?? ordered(call.tool, values);
}

function ordered(tool: string, values: readonly string[]): string {
  return values.length === 0 ? doing(tool) : `${doing(tool)}: ${values.join(', ')}`;
}

/** Whether a reading can be said to this person: tools without a sentence of their own have an English name alone. */
export function isSayable(call: PlannedCall, index: ToolIndex): boolean {
  return currentLanguage() === 'en' || orderOf(call, index) !== null;
}

/** The sentence that the tool itself has for this change. */
function orderOf({ tool, args }: PlannedCall, { tools }: ToolIndex): string | null {
  if (tool === SEARCH) return say('planner.search-docs');
  return tools.find(({ name }) => name === tool)?.orderOf(args) ?? null;
}

/** `create_project_intent` → Create project. */
export function doing(tool: string): string {
  const words = tool.replaceAll('_', ' ').replace(/ intent$/, '');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function inText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
