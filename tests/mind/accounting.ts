import { LANGUAGES, runInLanguage } from '@signalbox/messages/language';
import { say } from '@signalbox/messages/say';
import { countTokens, type SeatRequest } from './request.ts';
import type { Answer } from './seat.ts';
import type { SessionStep } from './session.ts';

/** Providers keep beginnings for minutes: a request is compared with so many before it. */
const CACHED_REQUESTS = 20;
/** What providers cache at least. */
const MIN_CACHED_TOKENS = 1_024;

interface PlayedSession {
  readonly requests: readonly SeatRequest[];
  readonly steps: readonly SessionStep[];
}

/** The tokens of the longest beginning that a request has in common with one of the last twenty; 0 below what is cached. */
export function countCacheable({ cached }: SeatRequest, earlier: readonly SeatRequest[]): number {
  let longest = 0;
  for (const { cached: other } of earlier.slice(-CACHED_REQUESTS)) {
    let length = 0;
    while (length < cached.length && cached.charCodeAt(length) === other.charCodeAt(length)) length += 1;
    longest = Math.max(longest, length);
  }
  const tokens = countTokens(cached.slice(0, longest));
  return tokens >= MIN_CACHED_TOKENS ? tokens : 0;
}

/** Why the model was called; `answer` tells a call that only loads groups of tools. */
export function findCause({ body: { messages }, form }: SeatRequest, answer: Answer | undefined): string {
  if (form !== null) return `form ${form}`;
  const calls = answer?.tool_calls ?? [];
  if (calls.length > 0 && calls.every(({ name }) => name === 'request_capabilities')) return 'load groups only';
  const last = messages.at(-1);
  const made = messages.flatMap(({ tool_calls }) => tool_calls).find(({ id }) => id === last?.tool_call_id);
  const isNews = /^"\[(decision|news of job)/.test(JSON.stringify(last?.content));
  return isNews || made?.function.name === 'next_event' ? 'woken by a decision or an end' : 'ordinary';
}

/** Sums up sessions, in their order: calls by cause, tokens, the cacheable share, and taps. */
export function describeAccount(sessions: readonly PlayedSession[]): string {
  const rows = listRows(sessions);
  const describe = (title: string, some: typeof rows): string => {
    const tokens = some.reduce((sum, row) => sum + row.tokens, 0);
    const cacheable = some.reduce((sum, row) => sum + row.cacheable, 0);
    const silent = some.filter(({ isSilent }) => isSilent).length;
    const means = `${Math.round(tokens / some.length)} tokens each, ${Math.round((100 * cacheable) / tokens)} % cacheable`;
    return `${title}: ${some.length} calls, ${means}${silent === 0 ? '' : `, ${silent} answered with nothing`}`;
  };
  const causes = [...new Set(rows.map(({ cause }) => cause))].toSorted();
  const groups = causes.map((cause) => ({ cause, some: rows.filter((row) => row.cause === cause) }));
  const lines = groups.map(({ cause, some }) => describe(`  ${cause}`, some));
  const pressed = sessions.flatMap(({ steps }) => steps.flatMap((step) => ('as' in step ? (step.press ?? []) : [])));
  const own = countPresses(pressed, 'card.button-confirm');
  const others = countPresses(pressed, 'card.button-approve', 'card.button-grant');
  const taps = `taps: ${own} confirmed of one's own, ${others} approved by others (what policy demands is no tap)`;
  return [describe('all', rows), ...lines, taps].join('\n');
}

/** Lists the calls of sessions that a provider answered one after another, whoever spoke. A voice note is no call of the model. */
function listRows(sessions: readonly PlayedSession[]) {
  const calls = sessions.flatMap(({ requests, steps }) => {
    const answers = new Map(steps.flatMap((step) => ('answer' in step ? [[step.request, step.answer]] : [])));
    return requests
      .filter(({ body }) => body.messages.length > 0)
      .map((request) => ({ request, answer: answers.get(request.n) }));
  });
  const requests = calls.map(({ request }) => request);
  return calls.map(({ request, answer }, i) => {
    const isSilent = answer !== undefined && !answer.content && !answer.tool_calls?.length && !answer.status;
    const [cause, cacheable] = [findCause(request, answer), countCacheable(request, requests.slice(0, i))];
    return { cause, isSilent, tokens: request.tokens.total, cacheable };
  });
}

/** Counts presses of these buttons of cards, in any language. */
function countPresses(pressed: readonly string[], ...keys: readonly Parameters<typeof say>[0][]): number {
  const labels = LANGUAGES.flatMap((language) => runInLanguage(language, () => keys.map((key) => say(key))));
  return pressed.filter((label) => labels.includes(label)).length;
}
