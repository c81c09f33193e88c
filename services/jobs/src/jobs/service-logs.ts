import type { LogLine } from '@signalbox/shared/contracts/deploy';
import type { JobPayload, JobResult } from '@signalbox/shared/contracts/jobs';
import type { WorkRow } from '@signalbox/shared/db/deployments-rows';
import { AppError } from '@signalbox/shared/errors';
import { MINUTE_MS, SECOND_MS, sleep } from '@signalbox/shared/time';
import { maskOf, readLines, type Mask } from '../diagnose/log-lines.ts';
import { findServing, withDriver, type DiagnoseParts } from '../diagnose/target.ts';
import type { Driver } from '../drivers/driver.ts';
import type { JobContext, JobHandler } from '../handlers.ts';

type Payload = JobPayload<'service.logs'>;

/** Lines that are looked through for those that match. */
const SEARCHED = 20_000;
/** Characters of all lines that are given back together. */
const KEPT = 60_000;
/** A followed log is one message, which holds this many lines and characters, and is edited this often. */
const SHOWN_LINES = 25;
const SHOWN = 3_000;
const EDIT_MS = 2 * SECOND_MS;

/** Reads the log of what serves, of what served before, or of one deployment, and follows it for a while when asked to. */
export function createServiceLogs(
  parts: DiagnoseParts,
): JobHandler<JobPayload<'service.logs'>, JobResult<'service.logs'>> {
  return {
    title: 'Reading a log',
    run: async (payload, context) => {
      const deployment = await findDeployment(parts, payload);
      const { instance } = deployment;
      const head = { release: deployment.release, deploymentId: deployment.deploymentId };
      if (instance === null) return { ...head, lines: [], truncated: false };
      const mask = await maskOf(parts, payload, context.openSecret);
      return withDriver(parts, deployment, context, async (driver) => {
        if (payload.followSeconds > 0) await follow(driver, instance, payload, mask, context);
        const now = context.now().getTime();
        const isFiltered = payload.match !== null;
        const lines = await readLines(
          driver,
          instance,
          {
            tail: isFiltered ? SEARCHED : payload.tail + 1,
            ...(payload.sinceMinutes === null ? {} : { since: new Date(now - payload.sinceMinutes * MINUTE_MS) }),
            ...(payload.untilMinutes === null ? {} : { until: new Date(now - payload.untilMinutes * MINUTE_MS) }),
            signal: context.signal,
          },
          mask,
        );
        const wanted = lines.filter(matching(payload));
        const newest = withinBytes(wanted.slice(-payload.tail));
        return { ...head, lines: [...newest], truncated: newest.length < wanted.length };
      });
    },
    say: ({ release, lines }) =>
      lines.length === 0
        ? `The log of ${release ?? 'that deployment'} has no such lines.`
        : `I have read ${lines.length} lines of the log of ${release ?? 'that deployment'}.`,
    isNotable: () => false,
  };
}

async function findDeployment(parts: DiagnoseParts, payload: Payload): Promise<WorkRow> {
  const { project, environment, of } = payload;
  const { serving } = await findServing(parts, payload);
  if (of === 'serving') {
    if (serving) return serving;
    throw new AppError('CONFLICT', { detail: `Nothing serves ${project} in ${environment} yet, so there is no log.` });
  }
  const id = of === 'previous' ? (await parts.deployments.before({ project, environment }))?.deploymentId : of;
  const found = id === undefined ? null : await parts.work.find(id);
  if (found?.project === project && found.environment === environment) return found;
  throw new AppError('CONFLICT', {
    detail:
      of === 'previous'
        ? `Nothing served ${project} in ${environment} before.`
        : `${of} is no deployment of ${project} in ${environment}.`,
  });
}

/** New lines in one message of the chat, until the time is over. Nobody's log fails because a message could not be written. */
async function follow(
  driver: Driver,
  instance: NonNullable<WorkRow['instance']>,
  payload: Payload,
  mask: Mask,
  context: JobContext,
): Promise<void> {
  const over = AbortSignal.any([context.signal, AbortSignal.timeout(payload.followSeconds * SECOND_MS)]);
  const lines: string[] = [];
  let said = '';
  const show = async (): Promise<void> => {
    const head = `Following **${payload.project}** in ${payload.environment}:`;
    const text = `${head}\n\n${fence(lines.length === 0 ? '(nothing new yet)' : lines.join('\n').slice(-SHOWN))}`;
    if (text === said) return;
    said = text;
    await context.tell(text, { slot: 'log' }).catch((error: unknown) => context.log.warn('log not told', { error }));
  };
  const showing = (async (): Promise<void> => {
    while (!over.aborted) {
      await show();
      await sleep(EDIT_MS, over);
    }
    await show();
  })();
  try {
    const wanted = matching(payload);
    for await (const line of driver.logs(instance, { tail: 0, follow: true, signal: over })) {
      if (!wanted(line)) continue;
      lines.push(mask(line.line));
      if (lines.length > SHOWN_LINES) lines.shift();
    }
  } catch (error) {
    if (!over.aborted) throw error;
  } finally {
    await showing;
  }
  context.signal.throwIfAborted();
}

function matching({ match }: Payload): (line: LogLine) => boolean {
  const word = match?.toLowerCase() ?? null;
  return ({ line }) => word === null || line.toLowerCase().includes(word);
}

/** The newest lines that fit. */
function withinBytes(lines: readonly LogLine[]): readonly LogLine[] {
  let room = KEPT;
  const from = lines.findLastIndex(({ line }) => (room -= line.length + 1) < 0);
  return lines.slice(from + 1);
}

function fence(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const marks = '`'.repeat(longest + 1);
  return `${marks}\n${text}\n${marks}`;
}
