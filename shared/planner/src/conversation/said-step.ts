import { say } from '@signalbox/messages/say';
import { findMentions } from '../text/mentions.ts';
import { answerAsk } from './answers.ts';
import { closeTask } from './closing.ts';
import { type History, type Said, lastRunBefore, offerBefore, openQuestionBefore, stepsFor } from './history.ts';
import { type Hold, readHold } from '../moods/holds.ts';
import { complaintText } from '../slots/introductions.ts';
import type { OpenAsk } from './marks.ts';
import { stepForCondition, takesOffer } from './offers.ts';
import type { Chosen } from './planned-message.ts';
import { blockedText, introduce, searchStep, stepForRequest } from '../requests/requests.ts';
import { stepAfter } from './results.ts';
import { isRefusal, readSmallTalk } from '../moods/small-talk.ts';
import { type Step, sayStep } from './step.ts';
import { cleanText } from '../text/tokens.ts';
import { type Surroundings, meantTools, understand } from '../requests/understanding.ts';

/** Load, call and answer take three; twice that is a loop. */
const MOST_STEPS = 6;

/** What to do next about one request. */
export function stepForSaid(said: Said, history: History, surroundings: Surroundings): Chosen {
  const around = { ...surroundings, last: lastRunBefore(history, said) };
  const question = said.part === 0 ? openQuestionBefore(history, said) : null;
  const begun = said.event !== null || stepsFor(history, said).length > 0;
  const text = cleanText(said.text);
  const hold = begun ? null : readHold(text);
  const answer = question && !begun && !hold ? answerAsk(question.ask, text, around) : null;
  if (question && answer)
    return { said, step: answer.step, absorbed: [], dropped: answer.dropped ? question.by : null };
  // What holds back, doubts or quotes answers no question: what was asked about is not done.
  if (question && hold?.mood === 'forbidden')
    return { said, step: sayStep(say('planner.dropped'), 'cancelled'), absorbed: [], dropped: question.by };
  const step = stepFor(said, question?.ask ?? null, history, around);
  return {
    said,
    step: hold ? heldStep(step, hold, text, around) : step,
    absorbed: [],
    dropped: question && hold ? question.by : null,
  };
}

/** Whatever was understood of a text that is held back, it changes nothing. */
function heldStep(step: Step, { mood }: Hold, text: string, around: Surroundings): Step {
  if (!changesSomething(step, around)) return step;
  return blockedText(mood) ?? searchStep(text, 'all', around);
}

function changesSomething(step: Step, { index }: Surroundings): boolean {
  const tools = step.kind === 'call' ? [step.call.tool] : [];
  if (step.kind === 'load') tools.push(step.then.tool);
  if (step.kind === 'ask')
    tools.push(...(step.ask.tool === null ? step.ask.choices.map(({ value }) => value) : [step.ask.tool]));
  return tools.some((name) => index.tools.some((tool) => tool.name === name && !tool.reads));
}

function stepFor(said: Said, ask: OpenAsk | null, history: History, around: Surroundings): Step {
  if (said.event !== null) return sayStep(said.event, 'event');
  const steps = stepsFor(history, said);
  if (steps.length >= MOST_STEPS) return sayStep(say('planner.too-many-steps'), 'failed');
  const last = steps.at(-1);
  if (last) return stepAfter(last, history, around, (ask?.tries ?? 0) > 0);
  return stepForText(cleanText(said.text), said, ask !== null, history, around);
}

function stepForText(text: string, said: Said, asked: boolean, history: History, around: Surroundings): Step {
  if (text === '') return sayStep(say('planner.empty'), 'small-talk');
  const offer = offerBefore(history, said);
  if (offer !== null && takesOffer(text)) return stepForRequest(offer, around);
  if (offer !== null && isRefusal(text)) return sayStep(say('planner.left-alone'), 'cancelled');
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
      return cancelStep(text, asked, around);
    case 'hands-off':
      return sayStep(say('planner.left-alone'), 'cancelled');
    case 'chat':
      return chatStep(text, around);
    case 'complaint':
      return sayStep(complaintText(around.index), 'small-talk');
    case null:
      return stepForCondition(text, around) ?? stepForRequest(text, around);
  }
}

/** "Stop it" after something was set going, or looked at, stops that; else there is nothing to cancel. */
function cancelStep(text: string, asked: boolean, around: Surroundings): Step {
  const { last, index } = around;
  const lastTool = last && index.tools.find(({ name }) => name === last.tool);
  if (!asked && lastTool && /\b(?:stop|cancel|abort|halt|call it off)\b/i.test(text)) {
    const [best] = meantTools(understand(text, around));
    // What was only looked at is stopped when it is the very thing: "cancel it" after its status.
    const isAbout = !lastTool.reads || [...lastTool.topics].some((topic) => best?.tool.topics.has(topic));
    if (best && isAbout && best.tool.group === lastTool.group && /^(?:cancel|stop|abort)_/.test(best.tool.name))
      return stepForRequest(text, around);
  }
  return sayStep(asked ? say('planner.dropped') : say('planner.nothing-to-cancel'), 'cancelled');
}

/** "How is it going?" is talk, unless something is going on. */
function chatStep(text: string, around: Surroundings): Step {
  const { facts, index } = around;
  const named = findMentions(text, facts, index.words, index.closed).length > 0;
  if (named) {
    const step = stepForRequest(text, around);
    if (step.kind === 'call' || step.kind === 'load' || step.kind === 'ask') return step;
  }
  if (around.last && /\b(?:it|that|this)\b/i.test(text) && /\b(?:how|what)\b/i.test(text)) {
    const step = stepForRequest(text, around);
    if (step.kind === 'call' || step.kind === 'load') return step;
  }
  return sayStep(say('planner.chat'), 'small-talk');
}
