import { getDriverTraits } from '@signalbox/contracts/operations/drivers';
import {
  formatServiceName,
  type HostInventory,
  type ReadinessCheck,
  type ServiceFile,
  type ServiceKey,
} from '@signalbox/contracts/operations/deploy';
import type { ServerAccess } from '@signalbox/store/deploy/deployments-placement';
import { createUnderWayError, type DeploymentRow } from '@signalbox/store/deploy/deployments-rows';
import { isTransient } from '@signalbox/store/pool';
import { AppError } from '@signalbox/contracts/errors';
import { describePlan, toTypedPlan } from '@signalbox/messages/deploy-plan';
import { explainError, say } from '@signalbox/messages/say';
import { SECOND_MS, abortAfter } from '@signalbox/contracts/time';
import type { JobContext } from '../../runner/handlers.ts';
import type { Confinement } from '../../sandbox/confinement.ts';
import type { DeployDeps } from '../deploy-deps.ts';
import { isPortFree } from './probe-health.ts';
import type { Repository } from '../../git/repository-login.ts';
import type { TakenWay } from '../../git/service-commit.ts';
import type { SourceCommit } from '../../git/sources.ts';
import { describeUnopened, type OpenedVariables } from '../variables.ts';

export interface DeployRequest extends ServiceKey {
  readonly ref: string;
  /** Commit in the approved plan; null to resolve the ref now. */
  readonly commit: string | null;
  readonly server: string | null;
  /** Id of the deployment that is checked, if stored, so that it does not block itself. */
  readonly deploymentId: string | null;
  /** A stored artifact to start, for which the repository need not be read. */
  readonly built: { readonly commit: string; readonly file: ServiceFile } | null;
}

export interface Readiness {
  readonly ready: boolean;
  readonly target: ServerAccess | null;
  readonly source: SourceCommit | null;
  readonly way: TakenWay | null;
  readonly commit: string | null;
  readonly checks: readonly ReadinessCheck[];
  /** True when the only problem is a service of Signalbox that does not answer. */
  readonly isUnanswered: boolean;
}

type CheckEvidence<T> = { readonly evidence: string; readonly value: T };

const INSPECT_MS = 20 * SECOND_MS;
/** Minimum disk space for a checkout, a build and the build's logs. */
const MIN_DISK_MB = 256;

/** Runs all readiness checks without changing anything. Throws only when the signal aborts or the database is away. */
export async function measureReadiness(
  parts: Pick<
    DeployDeps,
    'work' | 'deployments' | 'leases' | 'sources' | 'traffic' | 'openDriver' | 'listenHost' | 'confinement'
  >,
  request: DeployRequest,
  options: {
    readonly repository: Repository | null;
    readonly variables: () => Promise<OpenedVariables>;
    readonly context: Pick<JobContext, 'openSecret'>;
    readonly signal: AbortSignal;
  },
): Promise<Readiness> {
  const { signal, context } = options;
  const checks: ReadinessCheck[] = [];
  let isUnanswered = false;
  let isMissing = false;
  const check = async <T>(name: string, remedy: Remedy, look: () => Promise<CheckEvidence<T>>): Promise<T | null> => {
    try {
      const { evidence, value } = await look();
      checks.push({ name, ok: true, evidence: evidence.slice(0, 500), remedy: null });
      return value;
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof AppError) && isTransient(error)) throw error;
      const evidence = error instanceof AppError ? explainError(error) : say('readiness.notMeasured');
      const todo = typeof remedy === 'string' ? remedy : remedy(error);
      checks.push({ name, ok: false, evidence: evidence.slice(0, 500), remedy: todo });
      if (error instanceof AppError && error.remedy === 'retry') isUnanswered = true;
      else isMissing = true;
      return null;
    }
  };

  const target = await check('server', say('readiness.serverRemedy'), async () => {
    const value = await parts.work.findTarget(request, request.server);
    return { evidence: say('readiness.server', { server: value.server, driver: value.driver }), value };
  });
  const inventory =
    target && (await check('target', remedyOfTarget(target), () => inspect(parts, target, context, signal)));
  if (inventory) await checkRoom(check, inventory);

  if (target && !getDriverTraits(target.driver).runsImages) await checkConfinement(check, parts.confinement);

  const source = request.built
    ? null
    : await check('ref', remedyOfRef, () => openSource(parts, options.repository, request, signal));
  const way =
    source &&
    target &&
    (await check(
      'command',
      () => null,
      () => chooseWay(source, target),
    ));
  const file = request.built?.file ?? way?.file ?? source?.settings ?? null;
  if (file) {
    await checkFile(check, file, inventory);
    const variables = await options.variables();
    await checkVariables(check, file, variables);
  }
  await check('proxy', say('readiness.proxyRemedy'), () => askProxy(parts, request, signal));
  if (target) await check('port', say('readiness.portRemedy'), () => findPorts(parts, request, target));
  await checkOthers(check, parts, request);
  const commit = request.built?.commit ?? source?.commit ?? null;
  const ready = checks.every(({ ok }) => ok);
  return { ready, target, source, way, commit, checks, isUnanswered: isUnanswered && !isMissing };
}

/** Remedy of a failed check, which may depend on the error; null when the error states it. */
type Remedy = string | ((error: unknown) => string | null);

type Check = <T>(name: string, remedy: Remedy, look: () => Promise<CheckEvidence<T>>) => Promise<T | null>;

const found = (evidence: string): Promise<CheckEvidence<true>> => Promise.resolve({ evidence, value: true });
const missing = (detail: string): Promise<never> => Promise.reject(new AppError('CHECK_FAILED', { detail }));

/** Another ref helps neither against an unreadable repository nor against a missing start command. */
function remedyOfRef(error: unknown): string | null {
  const isOfName = error instanceof AppError && (error.code === 'NOT_FOUND' || error.code === 'REF_AMBIGUOUS');
  return isOfName ? say('readiness.refRemedy') : null;
}

function remedyOfTarget({ server, driver }: ServerAccess): string {
  return say('readiness.targetRemedy', { needsLogin: getDriverTraits(driver).needsLogin, server });
}

async function inspect(
  parts: Pick<DeployDeps, 'openDriver'>,
  target: ServerAccess,
  context: Pick<JobContext, 'openSecret'>,
  signal: AbortSignal,
): Promise<CheckEvidence<HostInventory>> {
  const driver = await parts.openDriver(target, context);
  try {
    const value = await driver.inspect(AbortSignal.any([signal, abortAfter(INSPECT_MS)]));
    const { needsLogin } = getDriverTraits(target.driver);
    const hostKey = target.hostKey ?? say('readiness.hostKeyUnapproved');
    const { engine, cpus } = value;
    return { evidence: say('readiness.target', { server: target.server, engine, cpus, needsLogin, hostKey }), value };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof AppError) throw error;
    throw new AppError('TARGET_UNREACHABLE', { server: target.server, detail: say('readiness.targetUnseen') }, error);
  } finally {
    await driver.close();
  }
}

async function checkRoom(check: Check, { diskFreeMb, diskMb }: HostInventory): Promise<void> {
  await check('disk', say('readiness.diskRemedy'), () =>
    diskFreeMb >= MIN_DISK_MB
      ? found(say('readiness.disk', { free: diskFreeMb, all: diskMb }))
      : missing(say('readiness.diskMissing', { free: diskFreeMb, all: diskMb, needed: MIN_DISK_MB })),
  );
}

async function checkConfinement(check: Check, { kind, problem }: Confinement): Promise<void> {
  await check('confinement', say('readiness.confinementRemedy'), () => {
    if (problem !== null) return missing(say('readiness.confinementMissing', { problem }));
    return found(kind === 'off' ? say('readiness.confinementOff') : say('readiness.confinement', { kind }));
  });
}

async function openSource(
  parts: Pick<DeployDeps, 'sources'>,
  repository: Repository | null,
  { ref, commit }: Pick<DeployRequest, 'ref' | 'commit'>,
  signal: AbortSignal,
): Promise<CheckEvidence<SourceCommit>> {
  if (repository === null) return missing(say('readiness.repositoryMissing'));
  const value = await parts.sources.open(repository, commit ?? ref, signal, { named: ref });
  return { evidence: say('readiness.ref', { ref, commit: value.commit.slice(0, 12), release: value.release }), value };
}

async function chooseWay(source: SourceCommit, target: ServerAccess): Promise<CheckEvidence<TakenWay>> {
  const value = source.choose(target);
  const { build, start = null } = value.file;
  return { evidence: describePlan(toTypedPlan({ build, start, notes: value.notes })), value };
}

async function checkFile(check: Check, file: ServiceFile, inventory: HostInventory | null): Promise<void> {
  if (inventory)
    await check('memory', say('readiness.memoryRemedy'), () => {
      const figures = { free: inventory.memoryFreeMb, all: inventory.memoryMb, needed: file.memoryMb };
      return figures.free >= figures.needed
        ? found(say('readiness.memory', figures))
        : missing(say('readiness.memoryMissing', figures));
    });
  // The schema guarantees a health path
  await check('health', '', () =>
    found(say('readiness.health', { path: file.health.path, seconds: file.health.withinSeconds })),
  );
}

async function checkVariables(check: Check, file: ServiceFile, variables: OpenedVariables): Promise<void> {
  const known = new Set([...Object.keys(variables.values), ...variables.secrets]);
  const absent = file.requires.filter((name) => !known.has(name));
  const names = absent.join(', ');
  await check('variables', say('readiness.variablesRemedy', { names }), () =>
    absent.length === 0
      ? found(say('readiness.variables', { isRequired: file.requires.length > 0, names: file.requires.join(', ') }))
      : missing(say('readiness.variablesMissing', { names })),
  );
  const { secrets, unopened } = variables;
  await check('secrets', say('readiness.secretsRemedy'), () =>
    unopened.length === 0
      ? found(say('readiness.secrets', { isAny: secrets.length > 0, names: secrets.join(', ') }))
      : missing(describeUnopened(unopened)),
  );
}

async function askProxy(
  parts: Pick<DeployDeps, 'traffic'>,
  request: DeployRequest,
  signal: AbortSignal,
): Promise<CheckEvidence<true>> {
  const route = await parts.traffic.current(formatServiceName(request), signal);
  return found(say('readiness.proxy', { isRouted: route !== null, release: route?.release ?? '' }));
}

/** Finds ports for the instance and the public address: leased ports, or ports that are free in the table and on this machine. */
async function findPorts(
  parts: Pick<DeployDeps, 'leases' | 'listenHost'>,
  request: DeployRequest,
  target: ServerAccess,
): Promise<CheckEvidence<true>> {
  const publicPort =
    (await parts.leases.find('local', request.project, request.environment)) ??
    (await probePort(parts, 'local', parts.listenHost));
  if (publicPort === null) return missing(say('readiness.publicPortMissing'));
  const host = getDriverTraits(target.driver).runsImages ? null : '127.0.0.1';
  const port = await probePort(parts, target.server, host);
  if (port === null) return missing(say('readiness.portMissing', { server: target.server }));
  return found(say('readiness.port', { port, server: target.server, publicPort }));
}

async function probePort(
  parts: Pick<DeployDeps, 'leases'>,
  server: string,
  host: string | null,
): Promise<number | null> {
  const taken: number[] = [];
  for (;;) {
    const port = await parts.leases.findFreePort(server, taken);
    if (port === null || host === null || (await isPortFree(host, port))) return port;
    taken.push(port);
  }
}

async function checkOthers(
  check: Check,
  parts: Pick<DeployDeps, 'deployments'>,
  request: DeployRequest,
): Promise<void> {
  const { project, environment } = request;
  const open = await parts.deployments.list({ project, environment, open: true }, 5);
  const others = open.filter(({ deploymentId }) => deploymentId !== request.deploymentId);
  const lost: DeploymentRow | undefined = others.find(({ state }) => state === 'unknown');
  await check('lock', say('readiness.lockRemedy'), () =>
    others[0] ? missing(explainError(createUnderWayError(others[0], new Date()))) : found(say('readiness.lock')),
  );
  await check('predecessor', say('readiness.predecessorRemedy'), () =>
    lost
      ? missing(say('readiness.predecessorUnknown', { ref: lost.ref, deployment: lost.deploymentId }))
      : found(say('readiness.predecessor')),
  );
}
