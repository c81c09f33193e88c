import type { JobResult } from '@signalbox/contracts/operations/jobs';
import { SECOND_MS } from '@signalbox/contracts/time';
import { sayDuration } from '@signalbox/messages/duration';

const SAID_LENGTH = 160;

/** What came of bringing a service back: one line for whoever deployed it, and below it what its program said last. */
export function describeRevival(result: JobResult<'service.revive'>): string {
  const { project, environment, outcome, because, release, url, seconds, tries, failure } = result;
  const where = `**${project}** in ${environment}`;
  switch (outcome) {
    case 'revived': {
      const took = sayDuration(seconds * SECOND_MS);
      return `✅ ${where} came back by itself: ${release ?? 'it'} serves again at ${url ?? 'its address'} after ${took}, since ${because}.`;
    }
    case 'given-up': {
      const often = tries === 1 ? 'I have tried it once' : `I have tried it ${tries} times`;
      const next = `${often} and leave it now: “roll back ${project} in ${environment}”, or deploy it again.`;
      return `❌ ${where} does not come back, since ${because}. ${failure?.sentence ?? ''} ${next}${quote(failure?.lines ?? [])}`;
    }
    case 'unneeded':
      return `${where} is in other hands by now, so there was nothing to bring back.`;
  }
}

/** Fences cannot be in it: whatever a program writes stays text. */
function quote(lines: readonly string[]): string {
  if (lines.length === 0) return '';
  const shown = lines.map((line) =>
    (line.length > SAID_LENGTH ? `${line.slice(0, SAID_LENGTH)} …` : line).replaceAll('```', "'''"),
  );
  return `\n\`\`\`\n${shown.join('\n')}\n\`\`\``;
}
