import type { JobResult } from '@signalbox/contracts/operations/jobs';
import { SECOND_MS } from '@signalbox/contracts/time';
import { sayDuration } from '@signalbox/messages/duration';
import { say } from '@signalbox/messages/say';

const SAID_LENGTH = 160;

/** What came of bringing a service back: one line for whoever deployed it, and below it what its program said last. */
export function describeRevival(result: JobResult<'service.revive'>): string {
  const { project, environment, outcome, because, release, url, seconds, tries, failure } = result;
  switch (outcome) {
    case 'revived': {
      const took = sayDuration(seconds * SECOND_MS);
      const serving = { release: release ?? 'it', url: url ?? 'its address' };
      return say('services.revived', { project, environment, took, because, ...serving });
    }
    case 'given-up': {
      const values = { project, environment, because, tries, failure: failure?.sentence ?? '' };
      return `${say('services.givenUp', values)}${quote(failure?.lines ?? [])}`;
    }
    case 'unneeded':
      return say('services.revivalUnneeded', { project, environment });
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
