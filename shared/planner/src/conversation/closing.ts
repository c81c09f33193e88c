import { say } from '@signalbox/messages/say';
import { type History, type Said, TALKING_TOOLS } from './history.ts';
import { type Step, sayStep } from './step.ts';
import { asLine } from '../words.ts';

const SUMMARY_LENGTH = 300;

/** The answer to thanks: the task is finished when something came of it, else only the thanks are returned. */
export function closeTask(history: History, thanks: Said): Step {
  const results = history.marked.flatMap(({ call, index }) => {
    const result =
      call && index < history.size && !TALKING_TOOLS.has(call.name) ? history.results.get(call.id) : undefined;
    return call && result?.ok ? [result.say ?? call.name.replaceAll('_', ' ')] : [];
  });
  const events = history.said
    .filter(({ event, index }) => event !== null && index < thanks.index)
    .map(({ event }) => event ?? '');
  const shown = [...results, ...events];
  if (shown.length === 0) return sayStep(say('planner.welcome'), 'small-talk');
  const lines = shown.slice(-3).map((text) => asLine(text.split('\n')[0] ?? '', 90).replace(/[*`]/g, ''));
  return { kind: 'finish', summary: asLine(lines.join(' '), SUMMARY_LENGTH) };
}
