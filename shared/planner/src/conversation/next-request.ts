import { getCurrentLanguage } from '@signalbox/messages/language';
import { say } from '@signalbox/messages/say';
import { readReply, takesAnyWords } from './answers.ts';
import { offerOtherAgent } from './other-agents.ts';
import { readFollowUp } from '../requests/follow-ups.ts';
import {
  type History,
  type PlannerReply,
  type PersonMessage,
  findLastRunBefore,
  findOpenQuestion,
  listRepliesTo,
} from '../requests/history.ts';
import { type PlannerStep, toAnswerStep } from '../requests/marks.ts';
import { TALKING_TOOLS } from '../rank/tool-index.ts';
import type { ChosenStep } from './planned-message.ts';
import { askWhichIsMeant, sayChange } from '../requests/questions.ts';
import { findStepAfter } from './results.ts';
import { requirePlainOrder, refuseChanges } from './shortlist.ts';
import { findConditionalChange } from '../requests/conditions.ts';
import { findUnexplained } from '../requests/plain-order.ts';
import { createRequestStep } from '../requests/requests.ts';
import { isScheduleOrder } from '../requests/timed/schedules.ts';
import { readTalk } from '../requests/talk.ts';
import type { RequestContext } from '../requests/understanding.ts';
import { cleanText, isFiller, hasMeaning, wordSet } from '../text/tokens.ts';
import { asLine, sayHelp } from '../words.ts';

/** Chooses the first request whose next step is not a question, or else the first question. Null when no request is pending. */
export function chooseNext(history: History, around: RequestContext, agents: readonly string[]): ChosenStep | null {
  let question: ChosenStep | null = null;
  const absorbed = new Set<PersonMessage>();
  // A request in progress is finished before the next one starts.
  const begun = history.pending.find((said) => listRepliesTo(history, said).length > 0);
  const inOrder = begun ? [begun, ...history.pending.filter((said) => said !== begun)] : history.pending;
  for (const said of inOrder) {
    if (absorbed.has(said) || waits(history, said)) continue;
    const at = history.pending.indexOf(said);
    const found = onlyPlain(withAnswers(stepForSaid(said, history, around), at, history, around), history, around);
    const chosen = withOtherAgent(found, history, around, agents);
    if (chosen.step.kind !== 'ask' && chosen.step.kind !== 'handoff') return chosen;
    question ??= chosen;
    chosen.absorbed.forEach((other) => absorbed.add(other));
  }
  return question;
}

/** Offers another agent for a new request that the step does not fit. */
function withOtherAgent(
  chosen: ChosenStep,
  history: History,
  around: RequestContext,
  agents: readonly string[],
): ChosenStep {
  const { said, step, absorbed } = chosen;
  if (said.event !== null || absorbed.length > 0 || listRepliesTo(history, said).length > 0) return chosen;
  const question = said.part === 0 ? findOpenQuestion(history, said) : null;
  // Any words may be the description or the name that was asked for.
  if (question && takesAnyWords(question.ask, around)) return chosen;
  const text = history.said.find(({ id }) => id === said.id)?.text ?? '';
  return { ...chosen, step: offerOtherAgent(step, { text, read: said.text }, agents, around) };
}

/** Asks before a change unless the change explains every word of the person. Continues changes that were started or confirmed. */
function onlyPlain(chosen: ChosenStep, history: History, around: RequestContext): ChosenStep {
  const { said, step, absorbed, dropped } = chosen;
  if (!around.mayChange) return { ...chosen, step: refuseChanges(step, around) };
  if (said.event !== null || listRepliesTo(history, said).length > 0) return chosen;
  const question = said.part === 0 && dropped === null ? findOpenQuestion(history, said) : null;
  if (question?.ask.readings && step.kind !== 'ask') return chosen;
  const texts = [...(question?.ask.said ?? []), said.text, ...absorbed.map(({ text }) => text)];
  const read = { earlier: question || absorbed.length > 0 ? texts.slice(0, -1) : null, text: texts.at(-1) ?? '' };
  return { ...chosen, step: requirePlainOrder(step, read, { ...around, last: findLastRunBefore(history, said) }) };
}

/** True while a request waits for an earlier request of the same message whose question is open. */
function waits({ pending, marked, said: all }: History, said: PersonMessage): boolean {
  if (said.part === 0) return false;
  if (pending.some(({ id, part }) => id === said.id && part < said.part)) return true;
  const asked = marked.findLast(({ mark }) => mark.for === said.id && mark.ask !== undefined);
  if (!asked) return false;
  const events = new Set(all.filter(({ event }) => event !== null).map(({ id }) => id));
  return !marked.some(
    ({ mark, index }) =>
      index > asked.index && mark.done && mark.ask === undefined && mark.for !== said.id && !events.has(mark.for),
  );
}

/** Takes the following messages as answers, because people spread a request over messages: "allocate a port", "for shop". */
function withAnswers(first: ChosenStep, at: number, history: History, around: RequestContext): ChosenStep {
  let chosen = first;
  for (const next of history.pending.slice(at + 1)) {
    const { step, absorbed } = chosen;
    if (step.kind !== 'ask' || next.event !== null || next.parts.length > 1 || findOpenQuestion(history, next))
      return chosen;
    const answer = readReply(step.ask, cleanText(next.text), { ...around, last: findLastRunBefore(history, next) });
    if (!answer?.answered) return chosen;
    chosen = { ...chosen, step: answer.step, absorbed: [...absorbed, next] };
  }
  return chosen;
}

/** Maximum steps of a request. Load, call and answer are three steps; twice as many indicate an endless loop. */
const MAX_STEPS = 6;

/** Returns the next step for one request. */
function stepForSaid(said: PersonMessage, history: History, surroundings: RequestContext): ChosenStep {
  const around = { ...surroundings, last: findLastRunBefore(history, said) };
  const question = said.part === 0 ? findOpenQuestion(history, said) : null;
  const isNew = said.event === null && listRepliesTo(history, said).length === 0;
  const isOther = isNew && isScheduleOrder(cleanText(said.text), around, createRequestStep);
  const answer = question && isNew && !isOther ? readReply(question.ask, cleanText(said.text), around) : null;
  const step = answer?.step ?? stepFor(said, history, around, question?.ask.tries ?? 0, question !== null);
  const dropped = question && answer?.dropped ? question.by : null;
  const done = listRepliesTo(history, said).at(-1)?.call?.name;
  const isLook =
    done !== question?.ask.tool && around.index.tools.some(({ name, isHarmless }) => isHarmless && name === done);
  // A lookup does not close the open question, so the question is asked again after the result.
  if (step.kind !== 'say' || step.offer || !question || question.ask.readings || !isLook)
    return { said, step, absorbed: [], dropped };
  return { said, step: { ...step, offer: question.ask }, absorbed: [], dropped };
}

function stepFor(
  said: PersonMessage,
  history: History,
  around: RequestContext,
  tries: number,
  isAsked: boolean,
): PlannerStep {
  if (said.event !== null) return toAnswerStep(said.event, 'result');
  const steps = listRepliesTo(history, said);
  if (steps.length >= MAX_STEPS) return toAnswerStep(say('planner.too-many-steps'), 'failed');
  const last = steps.at(-1);
  if (!last) {
    const step = stepForText(cleanText(said.text), said, isAsked, history, around);
    return step.kind === 'say' && step.says.kind === 'cannot' ? withOffer(step, said, around) : step;
  }
  const step = findStepAfter(last, history, around, tries > 0);
  if (step.kind !== 'say' || step.says.kind !== 'result' || !last.call) return step;
  return withOffer({ ...step, text: withReading(step.text, said, last.call, around) }, said, around);
}

/** Adds a button for a change that the person ordered under a condition. */
function withOffer(
  step: PlannerStep & { readonly kind: 'say' },
  said: PersonMessage,
  around: RequestContext,
): PlannerStep {
  const change = around.mayChange ? findConditionalChange(cleanText(said.text), around) : null;
  if (change === null) return step;
  return { ...step, offer: askWhichIsMeant([change], said.text, around.index).ask };
}

/** Puts an explanation of how the words were understood before the result of a guessed lookup. */
function withReading(
  text: string,
  said: PersonMessage,
  { name, args }: NonNullable<PlannerReply['call']>,
  { facts, index }: RequestContext,
): string {
  const tool = index.tools.find((one) => one.name === name);
  if (!tool?.isHarmless || getCurrentLanguage() !== 'en') return text;
  const left = findUnexplained(said.text, { tool, args }, { facts, index }, 'answer').filter(
    (word) => !isFiller(word) && !isWordOfQuestions(word),
  );
  return left.length === 0
    ? text
    : `${say('planner.understood', { reading: sayChange({ tool: name, args }, index) })}\n\n${text}`;
}

const isWordOfQuestions = (word: string): boolean =>
  hasMeaning(word, LOOKING) || /^(?:why|how|when|where|so|up|out|down|me|did|got)$/.test(word);
const LOOKING = wordSet('LIST STATUS CHECK FIND WANT');

function stepForText(
  text: string,
  said: PersonMessage,
  isAsked: boolean,
  history: History,
  around: RequestContext,
): PlannerStep {
  if (text === '') return toAnswerStep(say('planner.empty'), 'small-talk');
  switch (readTalk(text, around)) {
    case 'thanks':
      return closeTask(history, said);
    case 'agreed':
      return toAnswerStep(say('planner.ready'), 'small-talk');
    case 'greeting':
      return toAnswerStep(sayHelp(around.index, true), 'greeting');
    case 'help':
      return toAnswerStep(sayHelp(around.index, false), 'help');
    case 'cancel':
      // "Stop it" refers to what just ran; when nothing ran, there is nothing to cancel.
      if (!isAsked && readFollowUp(text, around)) return createRequestStep(text, around);
      return toAnswerStep(isAsked ? say('planner.dropped') : say('planner.nothing-to-cancel'), 'cancelled');
    case 'chat':
      return toAnswerStep(say('planner.chat'), 'small-talk');
    case null:
      return createRequestStep(text, around);
  }
}

const SUMMARY_LENGTH = 300;

/** Replies to thanks; when a tool has run, also finishes the task. */
function closeTask(history: History, thanks: PersonMessage): PlannerStep {
  const results = history.marked.flatMap(({ call }) => {
    const result = call && !TALKING_TOOLS.has(call.name) ? history.results.get(call.id) : undefined;
    return call && result?.ok ? [result.say ?? call.name.replaceAll('_', ' ')] : [];
  });
  const events = history.said.flatMap(({ event, index }) => (event !== null && index < thanks.index ? [event] : []));
  const shown = [...results, ...events];
  if (shown.length === 0) return toAnswerStep(say('planner.welcome'), 'small-talk');
  const lines = shown.slice(-3).map((text) => asLine(text.split('\n')[0] ?? '', 90).replace(/[*`]/g, ''));
  return { kind: 'finish', summary: asLine(lines.join(' '), SUMMARY_LENGTH) };
}
