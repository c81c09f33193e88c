import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from '@signalbox/store/pool';
import { UNDER_WAY } from './live.ts';
import { normalizeTexts } from './normalize.ts';
import type { People } from './people.ts';
import { describeRequest, readRequest, type SeatRequest } from './request.ts';
import type { Answer, Decide } from './seat.ts';
import { SESSION_FILES, type SessionStep } from './session.ts';

/** A request that waits for its recorded answer. */
interface OpenRequest {
  readonly request: SeatRequest;
  readonly gone: AbortSignal;
  readonly give: (answer: Answer) => void;
}

const POLL_MS = 150;
/** How long a replay waits for what was recorded while nothing is under way; then it goes on as far as it can. */
const QUIET_MS = 45_000;

/** The seat in a replay: it collects the requests and gives the answers of the steps. */
export function createReplay(folder: string) {
  const requests: SeatRequest[] = [];
  const open: OpenRequest[] = [];
  const listOpen = (): readonly OpenRequest[] => open.filter(({ gone }) => !gone.aborted);
  const decide: Decide = ({ n, body, gone }) =>
    new Promise((give) => {
      const request = readRequest(n, body);
      requests.push(request);
      open.push({ request, gone, give });
    });

  /** Forms that were recorded and are not demanded any more. */
  let skipped = 0;

  /** Takes a step as soon as there is what there was when it was recorded. Returns why it cannot be taken, or null. */
  const take = async (step: SessionStep, people: People, pool: Pool): Promise<string | null> => {
    const form = 'answer' in step ? step.form : null;
    const find = (): OpenRequest | undefined => listOpen().find(({ request }) => request.form === form);
    const isReached = async (): Promise<boolean> => {
      const hasRequest = 'answer' in step ? find() !== undefined : requests.length + skipped >= step.requests;
      return hasRequest && (await people.countSaid()) >= step.messages;
    };
    for (
      let quietSince = Date.now();
      Date.now() - quietSince < QUIET_MS && !(await isReached());
      await delay(POLL_MS)
    ) {
      if (form !== null && !find() && listOpen().length > 0) {
        skipped += 1;
        return null;
      }
      const isBusy = (await pool.query<{ yes: boolean }>(UNDER_WAY)).rows[0]?.yes === true;
      if (isBusy && listOpen().length === 0) quietSince = Date.now();
    }
    const found = find();
    if ('answer' in step && found) {
      open.splice(open.indexOf(found), 1);
      found.give(step.answer);
      return null;
    }
    const unasked = listOpen().find(({ request }) => 'answer' in step || request.n + skipped > step.requests)?.request;
    if (unasked) return `request ${unasked.n} (form: ${unasked.form ?? 'none'}) has no recorded answer`;
    if ('answer' in step) return `no request came for the answer to request ${step.request}`;
    if ('as' in step) await people.act(step, join(folder, SESSION_FILES.files));
    return null;
  };

  return {
    decide,
    requests,
    /** Plays the steps with these people. Returns why it could not go on, as a sentence; null when it came to its end. */
    play: async (steps: readonly SessionStep[], people: People, pool: Pool): Promise<string | null> => {
      for (const [i, step] of steps.entries()) {
        const problem = await take(step, people, pool).catch(String);
        if (problem !== null) return `${SESSION_FILES.steps}:${i + 1}: ${problem}; mend the steps, see docs/mind.md`;
      }
      return null;
    },
  };
}

/** Writes the requests of a session, each against those before it, without what differs from run to run. */
export function writeRequests(requests: readonly SeatRequest[], normalize: (text: string) => string): string {
  const same = requests.map((request) => ({ ...request, body: normalizeTexts(request.body, normalize) }));
  return same.map((request, i) => describeRequest(request, same.slice(0, i))).join('\n');
}
