import { currentLanguage } from '@signalbox/messages/language';
import { say } from '@signalbox/messages/say';
import { answerAsk } from './answers.ts';
import { closeTask } from './closing.ts';
import { type History, type Marked, type Said, lastRunBefore, openQuestionBefore, stepsFor } from './history.ts';
import type { Chosen } from './planned-message.ts';
import { askWhichIsMeant, readingOf } from './readings.ts';
import { conditionalChange } from '../requests/conditions.ts';
import { stepAfter } from './results.ts';
import { type Step, sayStep } from './step.ts';
import { readFollowUp } from './follow-ups.ts';
import { introduce, stepForRequest } from '../requests/requests.ts';
import { readSmallTalk } from '../requests/small-talk.ts';
import type { Surroundings } from '../requests/understanding.ts';
import { unexplained } from '../requests/plain-order.ts';
import { cleanText, isFiller, means } from '../text/tokens.ts';

/** Load, call and answer take three; twice that is a loop. */
const MOST_STEPS = 6;

/** What to do next about one request. */
export function stepForSaid(said: Said, history: History, surroundings: Surroundings): Chosen {
  const around = { ...surroundings, last: lastRunBefore(history, said) };
  const question = said.part === 0 ? openQuestionBefore(history, said) : null;
  const isNew = said.event === null && stepsFor(history, said).length === 0;
  const answer = question && isNew ? answerAsk(question.ask, cleanText(said.text), around) : null;
  if (question && answer)
    return { said, step: answer.step, absorbed: [], dropped: answer.dropped ? question.by : null };
  return {
    said,
    step: stepFor(said, history, around, question?.ask.tries ?? 0, question !== null),
    absorbed: [],
    dropped: null,
  };
}

function stepFor(said: Said, history: History, around: Surroundings, tries: number, isAsked: boolean): Step {
  if (said.event !== null) return sayStep(said.event, 'event');
  const steps = stepsFor(history, said);
  if (steps.length >= MOST_STEPS) return sayStep(say('planner.too-many-steps'), 'failed');
  const last = steps.at(-1);
  if (!last) {
    const step = stepForText(cleanText(said.text), said, isAsked, history, around);
    return step.kind === 'say' && step.says.kind === 'cannot' ? withOffer(step, said, around) : step;
  }
  const step = stepAfter(last, history, around, tries > 0);
  if (step.kind !== 'say' || step.says.kind !== 'result' || !last.call) return step;
  return withOffer({ ...step, text: withReading(step.text, said, last.call, around) }, said, around);
}

/** An answer to who ordered a change under a condition offers that change. */
function withOffer(step: Step & { readonly kind: 'say' }, said: Said, around: Surroundings): Step {
  const change = around.mayChange ? conditionalChange(cleanText(said.text), around) : null;
  if (change === null) return step;
  const asked = askWhichIsMeant([change], said.text, around.index);
  return asked.kind === 'ask' ? { ...step, offer: asked.ask } : step;
}

/** A look that was guessed says first what the words were taken for. */
function withReading(
  text: string,
  said: Said,
  { name, args }: NonNullable<Marked['call']>,
  { facts, index }: Surroundings,
): string {
  const tool = index.tools.find((one) => one.name === name);
  if (!tool?.isHarmless || currentLanguage() !== 'en') return text;
  const left = unexplained(said.text, { tool, args }, { facts, index }, 'answer').filter(
    (word) => !isFiller(word) && !isWordOfQuestions(word),
  );
  return left.length === 0
    ? text
    : `${say('planner.understood', { reading: readingOf({ tool: name, args }, index) })}\n\n${text}`;
}

const isWordOfQuestions = (word: string): boolean =>
  means(word, LOOKING) || /^(?:why|how|when|where|so|up|out|down|me|did|got)$/.test(word);
const LOOKING: ReadonlySet<string> = new Set(['LIST', 'STATUS', 'CHECK', 'FIND', 'WANT']);

function stepForText(text: string, said: Said, isAsked: boolean, history: History, around: Surroundings): Step {
  if (text === '') return sayStep(say('planner.empty'), 'small-talk');
  switch (readSmallTalk(text)) {
    case 'thanks':
      return closeTask(history, said);
    case 'agreed':
      return sayStep(say('planner.ready'), 'small-talk');
    case 'greeting':
      return introduce(true, around);
    case 'help':
      return introduce(false, around);
    case 'cancel':
      // "Stop it" after something was set going, or looked at, stops that; else there is nothing to cancel.
      if (!isAsked && readFollowUp(text, around)) return stepForRequest(text, around);
      return sayStep(isAsked ? say('planner.dropped') : say('planner.nothing-to-cancel'), 'cancelled');
    case 'chat':
      return sayStep(say('planner.chat'), 'small-talk');
    case null:
      return stepForRequest(text, around);
  }
}
