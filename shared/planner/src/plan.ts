import { keepEnd } from './requests/timed/ends.ts';
import { findFreezeGroup } from './requests/timed/freezes.ts';
import { findScheduleGroup } from './requests/timed/schedules.ts';
import { readTalk } from './requests/talk.ts';
import { asLine } from './words.ts';
import { say } from '@signalbox/messages/say';
import type { BaseMessage } from '@langchain/core/messages';
import type { BoundTool, ToolCatalog } from '@signalbox/contracts/tool-catalog';
import { type History, type PersonMessage, readHistory } from './requests/history.ts';
import { chooseNext } from './conversation/next-request.ts';
import { listOtherAgents } from './conversation/other-agents.ts';
import { type PlannedMessage, toCallMessage, toStepMessage } from './conversation/planned-message.ts';
import { type ToolIndex, indexTools } from './rank/tool-index.ts';
import { splitRequests } from './requests/split.ts';
import { type RequestContext, MIN_MATCH_SCORE, rankRequestTools, listMentions } from './requests/understanding.ts';
import { encodeValue } from './text/exact-values.ts';
import { cleanText, MAX_READ_LENGTH } from './text/tokens.ts';
import { findExactChoice } from './conversation/choices.ts';
import { getCurrentLanguage } from '@signalbox/messages/language';
import type { PlannedCall, PlannerStep } from './requests/marks.ts';
import { MENU_SLOT } from './requests/menu.ts';
import { SEARCH_TOOL } from './requests/questions.ts';
import { getValueKind } from './slots/field-kinds.ts';
import { type Translation, restoreOriginal, readInEnglish } from './translation/translate.ts';
/**
 * The offline planner: returns the next message for a conversation and its loaded tools. Pure and deterministic.
 *
 * A person's message passes through these steps; marks in the planner's own messages tell which steps are done:
 *   new       → ask (done: the reply is a new message) · say (done) · load → loaded · call → called
 *   loaded    → call → called, or say that the tool may not be used
 *   called    → say the result, or ask for a better name once
 * Messages are handled in order. A message that needs a question waits for all others, because a question ends the turn.
 */
export function planNextMessage(input: {
  readonly messages: readonly BaseMessage[];
  readonly tools: readonly BoundTool[];
  readonly catalog: ToolCatalog;
  /** False for a planner that replaces another model: it plans lookups and questions, but no changes. */
  readonly mayChange?: boolean;
}): PlannedMessage {
  const index = indexTools(input.catalog, input.tools);
  // An answer to a question is never split into several requests.
  const translations: Translation[] = [];
  const history = readHistory(input.messages, (text, facts, asking) => {
    const said = cleanText(encodeValue(text, MAX_READ_LENGTH));
    // The text of a button is no sentence, and small talk is known in the languages themselves.
    if (
      readTalk(said, { facts, index }) !== null ||
      (asking && asking.slot !== MENU_SLOT && findExactChoice(said, asking.choices) !== null)
    )
      return [said];
    if (findFreezeGroup(said, { facts, index }) !== null || findScheduleGroup(said, index) !== null) return [said];
    const around = { known: facts.known, vocabulary: index, language: getCurrentLanguage() };
    const kept = asking ? null : keepEnd(said, (text) => readInEnglish(text, around).english, { facts, index });
    if (kept !== null) return [kept];
    const translation = readInEnglish(said, around);
    translations.push(translation);
    return asking ? [translation.english] : splitRequests(translation.english, { facts, index, last: null });
  });
  const facts = { ...history.facts, currentProject: latestProject(history) ?? history.facts.currentProject };
  const bound = new Set(input.tools.map(({ name }) => name));
  const around: RequestContext = { facts, index, bound, last: null, mayChange: input.mayChange ?? true };
  const [onlyTool] = input.tools;
  if (onlyTool?.name === 'classify_intent' && input.tools.length === 1) {
    const last = history.said.at(-1);
    const args = classify(history.pending.length > 0 ? history.pending : history.said.slice(-1), around);
    return toCallMessage(history, { for: last?.id ?? '', done: false }, 'classify_intent', args);
  }
  const chosen = chooseNext(history, around, listOtherAgents(input.tools));
  if (chosen) {
    const step = restoreTexts(chosen.step, index, translations);
    return toStepMessage({ ...chosen, step }, history, around.bound);
  }
  // No message is waiting for an answer.
  return { id: 'plan_idle', content: say('planner.idle'), toolCalls: [], kwargs: {} };
}

/** Gives free texts of a call back in the language of the person. */
function restoreTexts(step: PlannerStep, { tools }: ToolIndex, translations: readonly Translation[]): PlannerStep {
  const restore = (call: PlannedCall): PlannedCall => {
    const fields = tools.find(({ name }) => name === call.tool)?.fields ?? [];
    const isText = (name: string): boolean =>
      call.tool === SEARCH_TOOL || fields.some((field) => field.name === name && getValueKind(field) === 'text');
    const args = Object.entries(call.args).map(([name, value]) =>
      typeof value === 'string' && isText(name) ? [name, restoreOriginal(value, translations)] : [name, value],
    );
    return { tool: call.tool, args: Object.fromEntries(args) as PlannedCall['args'] }; // the same names
  };
  if (step.kind === 'call') return { ...step, call: restore(step.call) };
  if (step.kind === 'load') return { ...step, then: restore(step.then) };
  if (step.kind !== 'ask') return step;
  const { tool, args, readings } = step.ask;
  const known = tool === null ? args : restore({ tool, args }).args;
  const ask = { ...step.ask, args: known, ...(readings ? { readings: readings.map(restore) } : {}) };
  return { ...step, ask };
}

/** Returns the project of the last tool that succeeded. */
function latestProject(history: History): string | null {
  const names = history.marked.flatMap(({ call }) => {
    if (!call || !history.results.get(call.id)?.ok) return [];
    const name = call.args['project'] ?? (call.name.includes('project') ? call.args['name'] : undefined);
    return typeof name === 'string' ? [name] : [];
  });
  return names.at(-1) ?? null;
}

const SUMMARY_LENGTH = 80;
/** Maximum number of tool groups for one task. */
const MAX_GROUPS = 10;
/** Returns what a message is about: the tool groups that it needs, installed or not, and a summary in the person's words. */
function classify(
  said: readonly PersonMessage[],
  around: RequestContext,
): { task_summary: string; capabilities: string[]; project: string | null } {
  const texts = said.filter(({ event }) => event === null).map(({ text }) => cleanText(text));
  const asked = texts.filter((text) => text !== '' && readTalk(text, around) === null);
  const capabilities = new Set(asked.flatMap((text) => groupsFor(text, around)));
  const project = asked.flatMap((text) => listMentions(text, around)).find(({ kind }) => kind === 'project');
  return {
    task_summary: asLine(asked[0] ?? texts[0] ?? said[0]?.event ?? '', SUMMARY_LENGTH),
    capabilities: [...capabilities].slice(0, MAX_GROUPS),
    project: project?.name ?? null,
  };
}

function groupsFor(text: string, around: RequestContext): readonly string[] {
  const frozen = findFreezeGroup(text, around);
  if (frozen !== null) return [frozen];
  return splitRequests(text, around).flatMap((part) => {
    const later = findScheduleGroup(part, around.index);
    if (later !== null) return [later];
    const [best] = rankRequestTools(part, around);
    return best && best.score >= MIN_MATCH_SCORE && best.tool.group !== null ? [best.tool.group] : [];
  });
}
