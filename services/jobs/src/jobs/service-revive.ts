import { formatServiceName } from '@signalbox/contracts/operations/deploy';
import type { JobPayload, JobResult } from '@signalbox/contracts/operations/jobs';
import type { FullDeploymentRow } from '@signalbox/store/deploy/deployments-rows';
import { isTransient } from '@signalbox/store/pool';
import { sayDuration } from '@signalbox/messages/duration';
import { explainError, say } from '@signalbox/messages/say';
import type { ServiceRevivals } from '../health/service-revivals.ts';
import { AppError, toAppError, type ErrorCode } from '@signalbox/contracts/errors';
import { SECOND_MS, abortAfter, sleepOrThrow } from '@signalbox/contracts/time';
import { readCleanLines } from '../deploy/line-store.ts';
import type { DeployDeps } from '../deploy/deploy-deps.ts';
import { quoteLines } from '../deploy/describe-deployment.ts';
import { leaseInstancePort } from '../deploy/steps/instance-port.ts';
import { describeLastAnswer, isExpectedRelease, probeHealth } from '../deploy/steps/probe-health.ts';
import { describeUnopened, openVariables } from '../deploy/variables.ts';
import { requireServiceFile, getReleaseId, pickService } from '../deploy/deployment-session.ts';
import { withDriver } from '../health/target.ts';
import type { Driver, ProgramInstance } from '../drivers/driver.ts';
import type { JobContext, HandlerOf } from '../runner/handlers.ts';
import { createOpenedSecrets, type OpenedSecrets } from '../runner/opened-secrets.ts';

/** Pauses between attempts in seconds. After a reboot, other services may still be starting. */
const PAUSES = [5, 20, 60];
/** Maximum time for which the service's row stays locked. */
const HELD_MS = 6 * SECOND_MS;
const PROBE_PAUSE_MS = 250;
/** A service is healthy after this many consecutive good responses. */
const HEALTHY_PROBES = 2;
const LINES = 12;

type Payload = JobPayload<'service.revive'>;
type Result = JobResult<'service.revive'>;

/** Dependencies of a revival. `pauses`: seconds between attempts. */
export type ReviveDeps = Pick<
  DeployDeps,
  'work' | 'services' | 'leases' | 'traffic' | 'openDriver' | 'listenHost' | 'reachHost' | 'publicHost'
> & { readonly revivals: ServiceRevivals; readonly pauses?: readonly number[] };

class Superseded extends Error {}

/** Errors that another attempt cannot change: a person has to act. */
const TERMINAL: ReadonlySet<ErrorCode> = new Set(['SERVICE_LOST_AGAIN', 'ARTIFACT_GONE', 'VARIABLES_UNOPENED']);

/** Restarts a lost service from its artifact. Takes an epoch of its own, so a later deployment or stop supersedes it. */
export function createServiceReviveHandler(parts: ReviveDeps): HandlerOf<'service.revive'> {
  return {
    title: () => say('jobs.bringingAServiceBack'),
    run: (payload, context) => revive(parts, payload, context),
    say: describeRevival,
  };
}

async function revive(parts: ReviveDeps, { because, ...serving }: Payload, context: JobContext): Promise<Result> {
  const { runId, signal } = context;
  const startedAt = performance.now();
  const opened = createOpenedSecrets();
  const pauses = parts.pauses ?? PAUSES;
  const result = { ...serving, because, release: null, url: null, failure: null };
  for (let tries = 1; ; tries++) {
    const started = await parts.revivals.begin(serving, { reviving: runId, try: tries, because });
    const row = started && (await parts.work.find(serving.deploymentId));
    const seconds = (performance.now() - startedAt) / SECOND_MS;
    if (started === null || row === null) return { ...result, outcome: 'unneeded', tries: tries - 1, seconds };
    const { epoch, isTooOften } = started;
    const known = { ...result, release: row.release, url: row.url, tries };
    try {
      if (isTooOften) throw new AppError('SERVICE_LOST_AGAIN', {});
      const evidence = await bringBack(parts, { row, epoch, context, opened });
      const end = { runId, epoch, outcome: 'revived', evidence: { because, tries, ...evidence } } as const;
      if (!(await parts.revivals.end(serving, end))) throw new Superseded();
      return { ...known, outcome: 'revived', seconds: (performance.now() - startedAt) / SECOND_MS };
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof AppError) && isTransient(error)) throw error;
      if (error instanceof Superseded) return { ...result, outcome: 'unneeded', tries, seconds };
      const failure = toAppError(error, runId);
      if (failure.code === 'INTERNAL') context.log.error('a service could not be brought back', { error });
      context.log.info('service not back yet', { ...pickService(serving), tries, because: failure.code });
      const restSeconds = pauses[tries - 1];
      if (restSeconds !== undefined && !TERMINAL.has(failure.code)) {
        await sleepOrThrow(restSeconds * SECOND_MS, signal);
        continue;
      }
      const sentence = opened.mask(explainError(failure)).slice(0, 1_000);
      const lines = await lastLines(parts, { row, context, opened });
      const end = { runId, epoch, outcome: 'given-up', evidence: { because: sentence, lost: because, tries } } as const;
      if (!(await parts.revivals.end(serving, end))) return { ...result, outcome: 'unneeded', tries, seconds };
      return {
        ...known,
        outcome: 'given-up',
        seconds: (performance.now() - startedAt) / SECOND_MS,
        failure: { sentence, lines },
      };
    }
  }
}

/** One attempt to restart a service, valid while its epoch is the highest. */
interface Trying {
  readonly row: FullDeploymentRow;
  readonly epoch: number;
  readonly context: JobContext;
  readonly opened: OpenedSecrets;
}

async function bringBack(parts: ReviveDeps, trying: Trying): Promise<Record<string, string | number>> {
  const { row, context } = trying;
  const { signal } = context;
  return withDriver(parts, row, context, async (driver) => {
    const state = row.instance && (await driver.state(row.instance, signal));
    const isUp = row.instance !== null && state?.kind === 'running';
    const instance = isUp ? row.instance : await startAgain(parts, driver, trying);
    const port = await ensureRoute(parts, instance, trying);
    const ms = await waitUntilHealthy(parts, driver, { row, instance, port }, signal);
    return { instance: instance.ref, port: instance.port, ms: Math.round(ms) };
  });
}

async function startAgain(parts: ReviveDeps, driver: Driver, trying: Trying): Promise<ProgramInstance> {
  const { row, epoch, context, opened } = trying;
  const { artifact } = row;
  const { signal } = context;
  if (artifact === null || !(await driver.has(artifact, signal)))
    throw new AppError('ARTIFACT_GONE', { artifact: artifact?.ref ?? 'no artifact' });
  const purpose = `to start ${formatServiceName(row)} again`;
  const { values, unopened } = await openVariables(parts, row, { openSecret: context.openSecret, opened, purpose });
  if (unopened.length > 0) throw new AppError('VARIABLES_UNOPENED', { problems: describeUnopened(unopened) });
  const port = await leaseInstancePort(parts.leases, row, { mayListen: false });
  const request = {
    id: getReleaseId({ ...row, epoch }),
    artifact,
    file: requireServiceFile(row),
    variables: values,
    port,
  };
  return whileOurs(parts, trying, () => driver.start(request, heldSignal(signal)));
}

/** Routes requests to the instance unless the proxy does so already. Returns the public port. */
async function ensureRoute(parts: ReviveDeps, instance: ProgramInstance, trying: Trying): Promise<number> {
  const { row, epoch } = trying;
  const { signal } = trying.context;
  const { deploymentId, release } = row;
  const service = formatServiceName(row);
  const port = (await parts.services.find(row))?.port ?? null;
  if (port === null || release === null) throw new Error(`${deploymentId} serves and has no port or release`);
  const upstream = { host: instance.host, port: instance.port };
  const now = await parts.traffic.current(service, signal);
  const isRight =
    now?.deploymentId === deploymentId &&
    now.upstream.host === upstream.host &&
    now.upstream.port === upstream.port &&
    now.listen.port === port;
  if (isRight) return port;
  const route = { service, listen: { host: parts.listenHost, port }, upstream, release, deploymentId, fence: epoch };
  await whileOurs(parts, trying, async () => {
    await parts.traffic.switchTo(route, heldSignal(signal));
    return null;
  });
  return port;
}

/** Waits until the service reports its release through the proxy twice in a row. Throws INSTANCE_ENDED, INSTANCE_UNHEALTHY. */
async function waitUntilHealthy(
  parts: ReviveDeps,
  driver: Driver,
  {
    row,
    instance,
    port,
  }: { readonly row: FullDeploymentRow; readonly instance: ProgramInstance; readonly port: number },
  signal: AbortSignal,
): Promise<number> {
  const file = requireServiceFile(row);
  const { path, withinSeconds, status: wanted = 200 } = file.health;
  const deadline = performance.now() + withinSeconds * SECOND_MS;
  for (let good = 0; ;) {
    const state = await driver.state(instance, signal);
    if (state.kind !== 'running') {
      const code = state.kind === 'exited' ? state.code : null;
      throw new AppError('INSTANCE_ENDED', { how: say('deployment.instanceEnded', { code: String(code ?? 'gone') }) });
    }
    const probe = await probeHealth({ host: parts.reachHost, port }, file, signal);
    const isReported = row.release !== null && isExpectedRelease(probe.release, row.release, file);
    good = probe.isHealthy && isReported ? good + 1 : 0;
    if (good === HEALTHY_PROBES) return probe.ms;
    if (performance.now() > deadline) {
      // Any status but 200 may come from the proxy itself, which reports no release.
      const isOther = probe.isHealthy && !isReported;
      const at = { host: parts.reachHost, port };
      const last = isOther ? say('deployment.otherAnswers') : describeLastAnswer(probe, at, file);
      throw new AppError('INSTANCE_UNHEALTHY', { path, wanted: String(wanted), seconds: String(withinSeconds), last });
    }
    await sleepOrThrow(PROBE_PAUSE_MS, signal);
  }
}

async function whileOurs<T extends ProgramInstance | null>(
  parts: ReviveDeps,
  { row, epoch }: Trying,
  work: () => Promise<T>,
): Promise<T> {
  const done = await parts.revivals.within(row, epoch, work);
  if (done === null) throw new Superseded();
  return done.made;
}

function heldSignal(signal: AbortSignal): AbortSignal {
  return AbortSignal.any([signal, abortAfter(HELD_MS)]);
}

async function lastLines(parts: ReviveDeps, { row, context, opened }: Omit<Trying, 'epoch'>): Promise<string[]> {
  const { instance } = (await parts.work.find(row.deploymentId)) ?? row;
  if (instance === null) return [];
  try {
    const purpose = `to keep it out of the lines of ${formatServiceName(row)}`;
    await openVariables(parts, row, { openSecret: context.openSecret, opened, purpose });
    const signal = AbortSignal.any([context.signal, abortAfter(5 * SECOND_MS)]);
    return await withDriver(parts, row, context, (driver) =>
      readCleanLines(driver, instance, { tail: LINES, signal }, (text) => opened.mask(text)),
    );
  } catch (error) {
    context.log.warn('the last lines of an instance could not be read', { error });
    return [];
  }
}

function describeRevival(result: JobResult<'service.revive'>): string {
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
