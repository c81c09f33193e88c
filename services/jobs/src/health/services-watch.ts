import { runInLanguage } from '@signalbox/messages/language';
import type { JobResult } from '@signalbox/contracts/operations/jobs';
import { listOpenIncidents, type IncidentOutcome } from '@signalbox/store/deploy/incidents';
import type { FullDeploymentRow } from '@signalbox/store/deploy/deployments-rows';
import type { RunIntent } from '@signalbox/store/turns/runs';
import { say } from '@signalbox/messages/say';
import type { ServiceRevivals } from './service-revivals.ts';
import {
  formatIncidentSubject,
  saveProbe,
  takeServices,
  type WatchedService,
} from '@signalbox/store/deploy/service-health';
import { findFirstLanguage } from '@signalbox/store/incidents/incident-people';
import { newTraceId } from '@signalbox/contracts/ids';
import { MINUTE_MS, SECOND_MS, abortAfter } from '@signalbox/contracts/time';
import type { Publisher } from '@signalbox/platform/streams/publish';
import { groupErrors } from '../logs/error-lines.ts';
import { findCrashErrors } from './health-errors.ts';
import { closeServiceIncident, openServiceIncident } from './incident-news.ts';
import { notifyPeople, notifyPending } from './notify.ts';
import { endCrashLoop, readLastError } from './crash-loop-end.ts';
import { addLatency, HealthState } from './latencies.ts';
import { LogCursor, readNewLines } from '../logs/log-cursor.ts';
import { openLogRedactor, readLines, type LogRedactor } from '../logs/read-lines.ts';
import { settleMachines } from '../machine/slow-machine.ts';
import { judgeStrain } from '../machine/strain.ts';
import { probeService } from './probe-service.ts';
import { findServingDeployment, readRouteProblem, withDriver, type DiagnoseDeps } from './target.ts';
import { judgeHealth, type HealthMeasurements, type Verdict } from './verdict.ts';
import type { Driver } from '../drivers/driver.ts';
import type { JobContext, HandlerOf } from '../runner/handlers.ts';

/** Number of consecutive equal probes that open or close an incident; a single probe may be chance. */
const PROBES_IN_A_ROW = 2;
const MAX_PARALLEL = 4;
const PROBE_MS = 20 * SECOND_MS;
/** Maximum of log lines that one probe reads. */
const MAX_LINES = 5_000;
/** A log's redaction is kept in memory for this time, because opening secrets is audited. */
const MASK_MS = 30 * MINUTE_MS;

/**
 * Probes every serving service: health, new log lines, incidents. Only one process probes a service at a time. Stores results before it
 * notifies anybody; each incident is notified once, even after a crash. `gapMs`: minimum time between two probes.
 */
export function createServicesWatchHandler(
  parts: DiagnoseDeps & {
    readonly publisher: Publisher;
    readonly gapMs?: number;
    readonly revivals: Pick<ServiceRevivals, 'plan' | 'isOpen'>;
    /** Starts a run; false when the run id exists. */
    readonly startRun: (run: RunIntent) => Promise<boolean>;
  },
): HandlerOf<'services.watch'> {
  const masks: Masks = new Map();
  return {
    title: () => say('jobs.lookingAfterServices'),
    run: async (_, context) => {
      const counts = { looked: 0, opened: 0, closed: 0, errors: 0 };
      const late: LateService[] = [];
      const unproven: WatchedService[] = [];
      const taken = [...(await takeServices(parts.pool, parts.gapMs ?? 8 * SECOND_MS))];
      const look = async (service: WatchedService): Promise<void> => {
        const language = service.language ?? (await findFirstLanguage(parts.pool, service));
        await runInLanguage(language, () =>
          watchService({ ...parts, masks }, service, { context, counts, late, unproven }),
        );
      };
      const work = async (): Promise<void> => {
        for (let next = taken.pop(); next && !context.signal.aborted; next = taken.pop())
          // The failure of one service must not keep the others from being probed.
          await look(next).catch((error: unknown) =>
            context.log.warn('service not probed; the next probe tries again', {
              project: next?.project,
              environment: next?.environment,
              error,
            }),
          );
      };
      await Promise.all(Array.from({ length: MAX_PARALLEL }, work));
      await settleLate(parts, { context, counts, late, unproven });
      await notifyPending({ publisher: parts.publisher, log: context.log }, parts.pool);
      return counts;
    },
    say: ({ looked, opened }) => say('jobs.servicesLooked', { looked, opened }),
    isNotable: ({ opened, closed }) => opened + closed > 0,
  };
}

type Masks = Map<string, { readonly mask: LogRedactor; readonly until: number }>;

interface Round {
  readonly context: JobContext;
  readonly counts: JobResult<'services.watch'>;
  /** Slow services: whether each is slow, or their machine, is decided when all were probed. */
  readonly late: LateService[];
  /** Services of which this round knows nothing, because this process was late. */
  readonly unproven: WatchedService[];
}

interface LateService extends JudgedProbe {
  readonly watched: WatchedService;
  readonly server: string;
}

async function watchService(
  parts: Parameters<typeof createServicesWatchHandler>[0] & { readonly masks: Masks },
  watched: WatchedService,
  { context, counts, late, unproven }: Round,
): Promise<void> {
  const { service, serving } = await findServingDeployment(parts, watched);
  if (serving?.deploymentId !== watched.serving) return; // Another deployment serves now, so this probe's result is dropped.
  const { openSecret } = context;
  const signal = AbortSignal.any([context.signal, abortAfter(PROBE_MS)]);
  const memory = HealthState.parse(watched.health);
  const cursor = LogCursor.parse(watched.logCursor);
  const key = `${watched.project}/${watched.environment}/${watched.serving}`;
  const known = parts.masks.get(key);
  const mask =
    known && known.until > performance.now() ? known.mask : await openLogRedactor(parts, watched, openSecret);
  if (mask !== known?.mask) parts.masks.set(key, { mask, until: performance.now() + MASK_MS });

  const { found, read, missing, lastError } = await withDriver(parts, serving, context, async (driver) => {
    const probed = await probeService(parts, { driver, signal }, { service, serving }, memory);
    const settled = watched.isMoving ? probed : await endCrashLoop(parts, { driver, signal }, serving, probed);
    const since = cursor?.deploymentId === serving.deploymentId ? { since: new Date(cursor.at) } : {};
    const lines = serving.instance
      ? await readLines(driver, serving.instance, { tail: MAX_LINES, ...since, signal }, mask)
      : [];
    const isBlocked = (await readRouteProblem(parts, watched, signal)) !== null;
    // A service that was stopped for good is not missing.
    const why = settled.crashLoop?.isStopped
      ? null
      : await whyMissing({ driver, signal }, serving, settled, { ...memory, isBlocked });
    const said = settled.crashLoop ? await readLastError(driver, serving, mask, signal) : null;
    return { found: settled, read: readNewLines(cursor, serving.deploymentId, lines), missing: why, lastError: said };
  });
  context.signal.throwIfAborted();
  const groups = groupErrors(read.lines);
  const fresh = groups.reduce((sum, { count }) => sum + count, 0);
  counts.looked += 1;
  const measured = { ...found, errorsLately: found.errorsLately + fresh };
  const verdict = judgeHealth(measured);
  const strain = judgeStrain(found, verdict.kind);
  if (strain === 'unproven') {
    const { project, environment } = watched;
    context.log.warn('probe dropped: this process was late', { project, environment, lagMs: found.lagMs });
    unproven.push(watched);
    return;
  }
  const isReviving = verdict.kind !== null && (await bringBack(parts, watched, missing));
  // A restart of a lost service reports its own end.
  const isMoving = watched.isMoving || isReviving;
  const instance = serving.instance?.ref ?? null;
  const health = remember(memory, found, verdict, { instance, isMoving, isStrained: strain === 'slow' });
  const isSaved = await saveProbe(parts.pool, watched, {
    health,
    logCursor: read.cursor,
    errors: [
      ...groups.map(({ fingerprint, sample, count, at }) => ({
        fingerprint,
        source: 'log' as const,
        sample,
        release: serving.release,
        at: at === null ? null : new Date(at),
        count,
      })),
      ...findCrashErrors(memory, found, { instance, isLost: missing !== null || isMoving }),
    ],
  });
  if (!isSaved) return;
  counts.errors += fresh;
  if (isMoving) return;
  // A service that was stopped during the probe is no incident.
  if ((await parts.services.find(watched))?.serving !== watched.serving) return;
  const judged = { health, verdict, measured, before: memory.verdict, ref: serving.ref, lastError };
  if (strain === 'slow') late.push({ ...judged, watched, server: serving.server });
  else await settle(parts, watched, judged, { context, counts });
}

/** Opens the incidents of machines that are slow as a whole. A service that is slow alone gets its own incident. */
async function settleLate(
  parts: Parameters<typeof createServicesWatchHandler>[0],
  { context, counts, late, unproven }: Round,
): Promise<void> {
  const servers = late.map(({ server }) => server);
  const machines = await settleMachines(parts.pool, { servers, unproven }, context.now());
  counts.opened += machines.opened;
  counts.closed += machines.closed;
  await notifyPeople({ publisher: parts.publisher, log: context.log }, machines.news);
  for (const { watched, server, ...judged } of late) {
    const own = await listOpenIncidents(parts.pool, formatIncidentSubject(watched));
    if (own.length > 0 || !machines.slow.has(server)) await settle(parts, watched, judged, { context, counts });
  }
}

/**
 * Explains why a program is missing although its driver did not give it up; null when the program is not missing. A missing route counts
 * only after an unhealthy probe and without a crash. When the proxy reports a problem (`isBlocked`), a restart would not help.
 */
async function whyMissing(
  { driver, signal }: { readonly driver: Driver; readonly signal: AbortSignal },
  { instance }: FullDeploymentRow,
  { process, proxy, instance: direct, newRestarts, crashLoop }: HealthMeasurements,
  { bad, isBlocked }: HealthState & { readonly isBlocked: boolean },
): Promise<string | null> {
  if (instance === null || process === null) return null;
  // A restarted program may respond before the proxy routes to it again.
  const isRestarting = newRestarts > 0 || crashLoop !== null;
  if (process.running)
    return !isBlocked && !isRestarting && bad > 0 && direct?.status === 200 && proxy?.status !== 200
      ? 'the proxy did not lead to it any more'
      : null;
  const state = await driver.state(instance, signal);
  if (state.kind === 'gone') return 'nothing of it was there any more';
  return state.kind === 'exited' ? state.lost : null;
}

async function bringBack(
  parts: Parameters<typeof createServicesWatchHandler>[0],
  watched: WatchedService,
  because: string | null,
): Promise<boolean> {
  const { project, environment, serving: deploymentId } = watched;
  const service = { project, environment, deploymentId };
  if (because === null) return parts.revivals.isOpen(service);
  const plan = await parts.revivals.plan(service);
  if (plan === null || plan.isOpen) return plan?.isOpen ?? false;
  const { runId } = plan;
  const payload = { ...service, because };
  return parts.startRun({
    runId,
    job: 'service.revive',
    payload,
    person: null,
    threadId: null,
    traceId: newTraceId(),
  });
}

interface JudgedProbe {
  readonly health: HealthState;
  readonly verdict: Verdict;
  readonly measured: HealthMeasurements;
  readonly before: HealthState['verdict'];
  readonly ref: string;
  readonly lastError: string | null;
}

/** Opens or closes the incident of a service once two consecutive probes agree; a crash loop opens it at once. */
async function settle(
  parts: Parameters<typeof createServicesWatchHandler>[0],
  watched: WatchedService,
  judged: JudgedProbe,
  { context, counts }: Pick<Round, 'context' | 'counts'>,
): Promise<void> {
  const { health, verdict, measured, before, ref, lastError } = judged;
  const sayBecause = (): string => judgeHealth(measured).because;
  const open = await listOpenIncidents(parts.pool, formatIncidentSubject(watched));
  const news: (IncidentOutcome | null)[] = [];
  if (verdict.kind !== null && (health.bad >= PROBES_IN_A_ROW || open.length > 0 || verdict.kind === 'crash-loop')) {
    const isDown = health.bad >= PROBES_IN_A_ROW && before === 'down' && verdict.verdict === 'down';
    const known = { open: open[0] ?? null, isDown, release: health.release, ref, lastError, sayBecause };
    const opened = await openServiceIncident(parts, watched, verdict, known);
    if (opened.isNew) counts.opened += 1;
    news.push(opened);
  }
  if (verdict.kind === null && health.good >= PROBES_IN_A_ROW)
    for (const incident of open) {
      const end = { ...watched, sayBecause, now: context.now() };
      const closed = await closeServiceIncident(parts.pool, incident, end);
      if (closed) counts.closed += 1;
      news.push(closed);
    }
  await notifyPeople({ publisher: parts.publisher, log: context.log }, news);
}

function remember(
  memory: HealthState,
  found: HealthMeasurements,
  { verdict, because, kind }: Verdict,
  probe: { readonly instance: string | null; readonly isMoving: boolean; readonly isStrained: boolean },
): HealthState {
  const { release, proxy, process } = found;
  const { instance, isMoving, isStrained } = probe;
  const latencyMs = proxy?.latencyMs ?? null;
  const isSample = !isMoving && release !== null && latencyMs !== null && proxy?.status === 200;
  const isWell = kind === null;
  // Probes during a deployment count neither as good nor as bad.
  const counted = (row: number, holds: boolean): number => (holds && !isMoving ? row + 1 : 0);
  const good = counted(memory.good, isWell);
  return {
    verdict,
    because,
    release,
    latencyMs,
    bad: counted(memory.bad, !isWell),
    good,
    isStrained: !isMoving && (isStrained || (memory.isStrained && isWell && good < PROBES_IN_A_ROW)),
    restarts: process?.restarts ?? null,
    instance,
    crashes: found.crashes,
    ended: process === null ? memory.ended && memory.instance === instance : !process.running,
    errorsUsually: isWell ? found.errorsUsually : memory.errorsUsually,
    samples: isSample ? addLatency(memory.samples, release, latencyMs) : memory.samples,
  };
}
