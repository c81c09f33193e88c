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
/** Lines read per line wanted: most lines of a quiet service are of health checks. */
const LINES_PER_WANTED = 8;
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
      if (instance === null) return { ...head, lines: [], truncated: false, probes: 0, followed: false };
      const mask = await openLogRedactor(parts, payload, context.openSecret);
      return withDriver(parts, deployment, context, async (driver) => {
        if (payload.followSeconds > 0) {
          await followLog({ driver, instance, mask, pool: parts.pool }, payload, matching(payload), context);
          return { ...head, lines: [], truncated: false, probes: 0, followed: true };
        }
        const now = context.now().getTime();
        const isFiltered = payload.match !== null;
        const lines = await readLines(
          driver,
          instance,
          {
            tail: isFiltered ? MAX_SEARCHED_LINES : payload.tail * LINES_PER_WANTED + 1,
            ...(payload.sinceMinutes === null ? {} : { since: new Date(now - payload.sinceMinutes * MINUTE_MS) }),
            ...(payload.untilMinutes === null ? {} : { until: new Date(now - payload.untilMinutes * MINUTE_MS) }),
            signal: context.signal,
          },
          mask,
        );
        const matched = lines.filter(matching(payload));
        const wanted = isFiltered ? matched : matched.filter(({ line }) => !isOwnProbe(line, deployment.plan?.health));
        const newest = withinBytes(wanted.slice(-payload.tail));
        const probes = matched.length - wanted.length;
        return { ...head, lines: [...newest], truncated: newest.length < wanted.length, probes, followed: false };
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

/** True for an access-log line of a health check that succeeded: its path and no status of failure. */
function isOwnProbe(line: string, path: string | undefined): boolean {
  if (path === undefined) return false;
  const at = line.search(/\b(?:GET|HEAD) /);
  if (at === -1) return false;
  const [, asked, ...rest] = line.slice(at).split(/[\s"?]+/);
  return asked === path && !rest.some((word) => /^[45]\d\d$/.test(word));
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
