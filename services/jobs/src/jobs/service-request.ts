import type { JobResult } from '@signalbox/contracts/operations/jobs';
import { say } from '@signalbox/messages/say';
import { requestPath } from '../deploy/steps/probe-health.ts';
import { findServingDeployment, readRouteProblem, type DiagnoseDeps } from '../health/target.ts';
import { openLogRedactor } from '../logs/read-lines.ts';
import type { HandlerOf } from '../runner/handlers.ts';

type Answer = Pick<
  JobResult<'service.request'>,
  'status' | 'contentType' | 'location' | 'sizeBytes' | 'isCut' | 'text'
>;

const NO_ANSWER: Answer = { status: null, contentType: null, location: null, sizeBytes: 0, isCut: false, text: null };

/**
 * Requests a path of a deployed service through the proxy, as a visitor does: without cookies, and without following redirects. Secrets
 * of the service are redacted.
 */
export function createServiceRequestHandler(
  parts: Pick<DiagnoseDeps, 'services' | 'work' | 'traffic' | 'reachHost'>,
): HandlerOf<'service.request'> {
  return {
    title: () => say('jobs.lookingAtAService'),
    async run({ path, ...key }, { signal, openSecret }) {
      const { service, serving } = await findServingDeployment(parts, key);
      const release = serving?.release ?? null;
      if (serving === null || service.port === null)
        return { ...key, release, ...NO_ANSWER, ms: 0, problem: say('diagnose.nothingAnswers', key) };
      const problem = await readRouteProblem(parts, key, signal);
      if (problem !== null) return { ...key, release, ...NO_ANSWER, ms: 0, problem };
      const asked = await requestPath({ host: parts.reachHost, port: service.port }, path, signal);
      const { response, body, isCut, ms } = asked;
      if (response === null) return { ...key, release, ...NO_ANSWER, ms, problem: asked.problem };
      const mask = await openLogRedactor(parts, key, openSecret);
      const field = (name: string): string | null => {
        const value = response.headers.get(name);
        return value === null ? null : mask(value);
      };
      const length = Number(response.headers.get('content-length') ?? NaN);
      const text = body.includes(0) ? null : new TextDecoder().decode(body);
      const answer: Answer = {
        status: response.status,
        contentType: field('content-type'),
        location: field('location'),
        sizeBytes: Number.isSafeInteger(length) && length > body.length ? length : body.length,
        isCut: isCut || (text?.length ?? 0) > MAX_CHARACTERS,
        text: text && mask(text).slice(0, MAX_CHARACTERS),
      };
      return { ...key, release, ...answer, ms, problem: null };
    },
    say: ({ project, environment, status, problem }) =>
      say('jobs.serviceAnswered', {
        project,
        environment,
        hasStatus: status !== null,
        status: status ?? 0,
        problem: problem ?? '',
      }),
  };
}

const MAX_CHARACTERS = 2_000;
