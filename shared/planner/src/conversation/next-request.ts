import { answerAsk } from './answers.ts';
import { type History, type Said, lastRunBefore, openQuestionBefore, stepsFor } from './history.ts';
import type { Chosen } from './planned-message.ts';
import { onlyIfPlain, onlyLooking } from './shortlist.ts';
import { stepForSaid } from './said-step.ts';
import { cleanText } from '../text/tokens.ts';
import type { Surroundings } from '../requests/understanding.ts';

/** The first request whose next step is no question; when all need one, the first question. Null when nothing is to be done. */
export function chooseNext(history: History, around: Surroundings): Chosen | null {
  let question: Chosen | null = null;
  const absorbed = new Set<Said>();
  // What was begun is brought to its end before the next is begun.
  const begun = history.pending.find((said) => stepsFor(history, said).length > 0);
  const inOrder = begun ? [begun, ...history.pending.filter((said) => said !== begun)] : history.pending;
  for (const said of inOrder) {
    if (absorbed.has(said) || waits(history, said)) continue;
    const at = history.pending.indexOf(said);
    const chosen = onlyPlain(withAnswers(stepForSaid(said, history, around), at, history, around), history, around);
    if (chosen.step.kind !== 'ask') return chosen;
    question ??= chosen;
    chosen.absorbed.forEach((other) => absorbed.add(other));
  }
  return question;
}

/** A change that not every word of the person explains is asked about first. What was begun, or taken from such a question, goes on. */
function onlyPlain(chosen: Chosen, history: History, around: Surroundings): Chosen {
  const { said, step, absorbed, dropped } = chosen;
  if (!around.mayChange) return { ...chosen, step: onlyLooking(step, around) };
  if (said.event !== null || stepsFor(history, said).length > 0) return chosen;
  const question = said.part === 0 && dropped === null ? openQuestionBefore(history, said) : null;
  if (question?.ask.readings && step.kind !== 'ask') return chosen;
  const texts = [...(question?.ask.said ?? []), said.text, ...absorbed.map(({ text }) => text)];
  const read = { earlier: question || absorbed.length > 0 ? texts.slice(0, -1) : null, text: texts.at(-1) ?? '' };
  return { ...chosen, step: onlyIfPlain(step, read, { ...around, last: lastRunBefore(history, said) }) };
}

/** The requests of one message are dealt with in order: a later one waits until a question of an earlier one is answered. */
function waits({ pending, marked, said: all }: History, said: Said): boolean {
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

/** People send one thought in several messages: "allocate a port", "for shop". The next ones may be the answers already. */
function withAnswers(first: Chosen, at: number, history: History, around: Surroundings): Chosen {
  let chosen = first;
  for (const next of history.pending.slice(at + 1)) {
    const { step, absorbed } = chosen;
    if (step.kind !== 'ask' || next.event !== null || next.parts.length > 1 || openQuestionBefore(history, next))
      return chosen;
    const answer = answerAsk(step.ask, cleanText(next.text), { ...around, last: lastRunBefore(history, next) });
    if (!answer?.answered) return chosen;
    chosen = { ...chosen, step: answer.step, absorbed: [...absorbed, next] };
  }
  return chosen;
}
