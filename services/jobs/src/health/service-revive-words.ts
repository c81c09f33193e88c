import type { JobResult } from '@signalbox/contracts/operations/jobs';
import { SECOND_MS } from '@signalbox/contracts/time';
import { sayDuration } from '@signalbox/messages/duration';
import { say } from '@signalbox/messages/say';
import { quoteLines } from '../deploy/words.ts';

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
      return `${say('services.givenUp', values)}${quoteLines((failure?.lines ?? []).map((line) => [line, 1]))}`;
    }
    case 'unneeded':
      return say('services.revivalUnneeded', { project, environment });
  }
}
