import type { LogLine } from '@signalbox/contracts/operations/deploy';
import type { JobPayload } from '@signalbox/contracts/operations/jobs';
import type { FullDeploymentRow } from '@signalbox/store/deploy/deployments-rows';
import { AppError } from '@signalbox/contracts/errors';
import { MINUTE_MS } from '@signalbox/contracts/time';
import { say } from '@signalbox/messages/say';
import { openLogRedactor, readLines } from '../logs/read-lines.ts';
import { findServingDeployment, withDriver, type DiagnoseDeps } from '../health/target.ts';
import type { HandlerOf } from '../runner/handlers.ts';
import { followLog } from '../logs/follow-log.ts';

type Payload = JobPayload<'service.logs'>;

/** Maximum of lines searched for matches. */
const MAX_SEARCHED_LINES = 20_000;
/** Maximum of characters of all returned lines. */
const MAX_CHARACTERS = 60_000;

/** Reads the log of the serving release, the previous release, or one deployment. Follows the log for a while on request. */
export function createServiceLogsHandler(parts: DiagnoseDeps): HandlerOf<'service.logs'> {
  return {
    title: () => say('jobs.readingALog'),
    run: async (payload, context) => {
      const deployment = await findDeployment(parts, payload);
      const { instance } = deployment;
      const head = { release: deployment.release, deploymentId: deployment.deploymentId };
      if (instance === null) return { ...head, lines: [], truncated: false, followed: false };
      const mask = await openLogRedactor(parts, payload, context.openSecret);
      return withDriver(parts, deployment, context, async (driver) => {
        if (payload.followSeconds > 0) {
          await followLog({ driver, instance, mask, pool: parts.pool }, payload, matching(payload), context);
          return { ...head, lines: [], truncated: false, followed: true };
        }
        const now = context.now().getTime();
        const isFiltered = payload.match !== null;
        const lines = await readLines(
          driver,
          instance,
          {
            tail: isFiltered ? MAX_SEARCHED_LINES : payload.tail + 1,
            ...(payload.sinceMinutes === null ? {} : { since: new Date(now - payload.sinceMinutes * MINUTE_MS) }),
            ...(payload.untilMinutes === null ? {} : { until: new Date(now - payload.untilMinutes * MINUTE_MS) }),
            signal: context.signal,
          },
          mask,
        );
        const wanted = lines.filter(matching(payload));
        const newest = withinBytes(wanted.slice(-payload.tail));
        return { ...head, lines: [...newest], truncated: newest.length < wanted.length, followed: false };
      });
    },
    say: ({ release, lines, followed }) => {
      if (followed) return '';
      return say('jobs.logRead', { lines: lines.length, hasRelease: release !== null, release: release ?? '' });
    },
  };
}

async function findDeployment(parts: DiagnoseDeps, payload: Payload): Promise<FullDeploymentRow> {
  const { project, environment, of } = payload;
  const { serving } = await findServingDeployment(parts, payload);
  if (of === 'serving') {
    if (serving) return serving;
    throw new AppError('NOTHING_SERVES', { project, environment, act: 'read' });
  }
  const id = of === 'previous' ? (await parts.deployments.before({ project, environment }))?.deploymentId : of;
  const found = id === undefined ? null : await parts.work.find(id);
  if (found?.project === project && found.environment === environment) return found;
  if (of === 'previous') throw new AppError('NOTHING_SERVED_BEFORE', { project, environment });
  throw new AppError('DEPLOYMENT_OF_OTHER', { deployment: of, project, environment });
}

function matching({ match }: Payload): (line: LogLine) => boolean {
  const word = match?.toLowerCase() ?? null;
  return ({ line }) => word === null || line.toLowerCase().includes(word);
}

function withinBytes(lines: readonly LogLine[]): readonly LogLine[] {
  let room = MAX_CHARACTERS;
  const from = lines.findLastIndex(({ line }) => (room -= line.length + 1) < 0);
  return lines.slice(from + 1);
}
