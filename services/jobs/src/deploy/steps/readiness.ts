import { traitsOf } from '@signalbox/contracts/operations/drivers';
import {
  serviceName,
  type Inventory,
  type ReadinessCheck,
  type ServiceFile,
  type ServiceKey,
} from '@signalbox/contracts/operations/deploy';
import type { PlacedTarget } from '@signalbox/store/deploy/deployments-placement';
import { underWay, type DeploymentRow } from '@signalbox/store/deploy/deployments-rows';
import { isTransient } from '@signalbox/store/pool';
import { AppError } from '@signalbox/contracts/errors';
import { SECOND_MS } from '@signalbox/contracts/time';
import type { JobContext } from '../../runner/handlers.ts';
import type { Confinement } from '../../sandbox/confinement.ts';
import type { DeployParts } from '../parts.ts';
import { isFree } from './reach.ts';
import type { Source } from '../source/sources.ts';
import { describeUnopened, type OpenedVariables } from '../variables.ts';

/** What is to be deployed. */
export interface DeployRequest extends ServiceKey {
  readonly ref: string;
  /** What the ref was when the deployment was decided about; null: what it is now. */
  readonly commit: string | null;
  readonly server: string | null;
  /** The deployment that asks, when it is written already: it does not stand in its own way. */
  readonly deploymentId: string | null;
  /** What was built before and is started again: nothing is read from the repository then. */
  readonly built: { readonly commit: string; readonly file: ServiceFile } | null;
}

export interface Readiness {
  readonly ready: boolean;
  readonly target: PlacedTarget | null;
  readonly source: Source | null;
  readonly commit: string | null;
  readonly checks: readonly ReadinessCheck[];
}

type Found<T> = { readonly evidence: string; readonly value: T };

const INSPECT_MS = 20 * SECOND_MS;
/** What a checkout, a build and its logs need at the least. */
const DISK_MB = 256;

/**
 * Measures everything that a deployment needs, each check by itself: one that fails is a check with `ok: false`, what was found, and
 * what to do; checks that depend on it say so. Throws only for the signal, or when the database is away. Changes nothing.
 */
export async function measureReadiness(
  parts: Pick<
    DeployParts,
    'work' | 'deployments' | 'leases' | 'sources' | 'traffic' | 'openDriver' | 'listenHost' | 'confinement'
  >,
  wish: DeployRequest,
  options: {
    readonly repository: string | null;
    readonly variables: () => Promise<OpenedVariables>;
    readonly context: Pick<JobContext, 'openSecret'>;
    readonly signal: AbortSignal;
  },
): Promise<Readiness> {
  const { signal, context } = options;
  const checks: ReadinessCheck[] = [];
  const check = async <T>(name: string, remedy: string, look: () => Promise<Found<T>>): Promise<T | null> => {
    try {
      const { evidence, value } = await look();
      checks.push({ name, ok: true, evidence: evidence.slice(0, 500), remedy: null });
      return value;
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof AppError) && isTransient(error)) throw error;
      const evidence = error instanceof AppError ? error.message : 'It could not be measured.';
      checks.push({ name, ok: false, evidence: evidence.slice(0, 500), remedy });
      return null;
    }
  };

  const target = await check('server', 'Name a registered server of this environment, or none.', async () => {
    const value = await parts.work.target(wish, wish.server);
    return { evidence: `${value.server} (${value.driver})`, value };
  });
  const inventory =
    target && (await check('target', remedyOfTarget(target), () => inspect(parts, target, context, signal)));
  if (inventory) await checkRoom(check, inventory);

  if (target && !traitsOf(target.driver).runsImages) await checkConfinement(check, parts.confinement);

  const source = wish.built
    ? null
    : await check('ref', 'Name a tag, a branch or a commit that was pushed.', () =>
        openSource(parts, options.repository, wish, signal),
      );
  const file = wish.built?.file ?? source?.file ?? null;
  if (file) {
    await checkFile(check, file, { target, source, inventory });
    const variables = await options.variables();
    await checkVariables(check, file, variables);
  }
  await check('proxy', 'Look whether the proxy runs; without it nothing can be switched over.', () =>
    askProxy(parts, wish, signal),
  );
  if (target)
    await check('port', 'End what listens there, or give the server more ports.', () => findPorts(parts, wish, target));
  await checkOthers(check, parts, wish);
  const commit = wish.built?.commit ?? source?.commit ?? null;
  return { ready: checks.every(({ ok }) => ok), target, source, commit, checks };
}

type Check = <T>(name: string, remedy: string, look: () => Promise<Found<T>>) => Promise<T | null>;

const found = (evidence: string): Promise<Found<true>> => Promise.resolve({ evidence, value: true });
const missing = (detail: string): Promise<never> => Promise.reject(new AppError('CHECK_FAILED', { detail }));

function remedyOfTarget({ server, driver }: PlacedTarget): string {
  return traitsOf(driver).needsLogin
    ? `Look whether ${server} is on, its engine runs, and its host key is approved (inspect_server).`
    : `Look whether ${server} is on and its engine runs (inspect_server).`;
}

async function inspect(
  parts: Pick<DeployParts, 'openDriver'>,
  target: PlacedTarget,
  context: Pick<JobContext, 'openSecret'>,
  signal: AbortSignal,
): Promise<Found<Inventory>> {
  const driver = await parts.openDriver(target, context);
  try {
    const value = await driver.inspect(AbortSignal.any([signal, AbortSignal.timeout(INSPECT_MS)]));
    const key = traitsOf(target.driver).needsLogin ? `, host key ${target.hostKey ?? 'not approved'}` : '';
    return { evidence: `${target.server} answers: ${value.engine}, ${value.cpus} processors${key}`, value };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof AppError) throw error;
    throw new AppError('TARGET_UNREACHABLE', { server: target.server, detail: 'it could not be looked at.' }, error);
  } finally {
    await driver.close();
  }
}

async function checkRoom(check: Check, { diskFreeMb, diskMb }: Inventory): Promise<void> {
  await check('disk', 'Make room on that disk.', () =>
    diskFreeMb >= DISK_MB
      ? found(`${diskFreeMb} of ${diskMb} MB free`)
      : missing(`Only ${diskFreeMb} of ${diskMb} MB are free; ${DISK_MB} are needed at the least.`),
  );
}

/** Whether programs on this machine can be kept from our keys. */
async function checkConfinement(check: Check, { kind, problem }: Confinement): Promise<void> {
  const remedy =
    'Install bubblewrap (apt-get install bubblewrap) and start Signalbox again, or deploy to a server with an engine; see docs/drivers.md.';
  await check('confinement', remedy, () => {
    if (problem !== null) return missing(`Programs cannot be confined on this machine: ${problem}.`);
    if (kind === 'off') return found('off (PROCESS_CONFINEMENT): programs may read all that Signalbox may');
    return found(kind === 'user' ? 'a user of its own in a sandbox' : 'a sandbox');
  });
}

async function openSource(
  parts: Pick<DeployParts, 'sources'>,
  repository: string | null,
  { ref, commit }: Pick<DeployRequest, 'ref' | 'commit'>,
  signal: AbortSignal,
): Promise<Found<Source>> {
  if (repository === null) return missing('The project has no repository. Say which one it is (update_project).');
  const value = await parts.sources.open(repository, commit ?? ref, signal, ref);
  return { evidence: `${ref} is ${value.commit.slice(0, 12)}, release ${value.release}`, value };
}

async function checkFile(
  check: Check,
  file: ServiceFile,
  facts: { readonly target: PlacedTarget | null; readonly source: Source | null; readonly inventory: Inventory | null },
): Promise<void> {
  const { target, source, inventory } = facts;
  const isImage = target !== null && traitsOf(target.driver).runsImages && (source === null || source.hasDockerfile);
  await check('command', 'Say in signalbox.json how it is started ("start": ["node", "server.js"]).', () => {
    if (file.start) return found(`starts with ${file.start.join(' ').slice(0, 200)}`);
    if (isImage) return found('starts as its Dockerfile says');
    return missing('signalbox.json has no start command.');
  });
  if (inventory)
    await check('memory', 'Ask for less memory in signalbox.json, or take another server.', () =>
      inventory.memoryFreeMb >= file.memoryMb
        ? found(`${inventory.memoryFreeMb} of ${inventory.memoryMb} MB free, ${file.memoryMb} MB needed`)
        : missing(
            `Only ${inventory.memoryFreeMb} of ${inventory.memoryMb} MB are free; ${file.memoryMb} MB are needed.`,
          ),
    );
  // The schema has seen to it that there is one.
  await check('health', '', () => found(`${file.health.path} has to answer 200 within ${file.health.withinSeconds} s`));
}

async function checkVariables(check: Check, file: ServiceFile, variables: OpenedVariables): Promise<void> {
  const known = new Set([...Object.keys(variables.values), ...variables.secrets]);
  const absent = file.requires.filter((name) => !known.has(name));
  await check('variables', `Set ${absent.join(', ')} for this environment.`, () =>
    absent.length === 0
      ? found(file.requires.length === 0 ? 'none are required' : `set: ${file.requires.join(', ')}`)
      : missing(`Not set: ${absent.join(', ')}.`),
  );
  const { secrets, unopened } = variables;
  await check('secrets', 'Whoever gave them has to send them again (/secret set).', () =>
    unopened.length === 0
      ? found(secrets.length === 0 ? 'there are none' : `can be opened: ${secrets.join(', ')}`)
      : missing(describeUnopened(unopened)),
  );
}

/** What serves now, by the one who has to switch it. */
async function askProxy(
  parts: Pick<DeployParts, 'traffic'>,
  wish: DeployRequest,
  signal: AbortSignal,
): Promise<Found<true>> {
  const route = await parts.traffic.current(serviceName(wish), signal);
  return found(route ? `it sends requests to ${route.release} now` : 'it answers, and sends requests nowhere yet');
}

/** A port for the instance, and the one where people reach the service: leased, or free in the table and on this machine. */
async function findPorts(
  parts: Pick<DeployParts, 'leases' | 'listenHost'>,
  wish: DeployRequest,
  target: PlacedTarget,
): Promise<Found<true>> {
  const publicPort =
    (await parts.leases.find('local', wish.project, wish.environment)) ??
    (await probePort(parts, 'local', parts.listenHost));
  if (publicPort === null) return missing('All ports where people could reach the service are taken.');
  const host = traitsOf(target.driver).runsImages ? null : '127.0.0.1';
  const port = await probePort(parts, target.server, host);
  if (port === null) return missing(`All ports of ${target.server} are taken.`);
  return found(`${port} on ${target.server} for the instance, ${publicPort} for people`);
}

/** The lowest port that is free in the table and, on this machine, in fact. */
async function probePort(
  parts: Pick<DeployParts, 'leases'>,
  server: string,
  host: string | null,
): Promise<number | null> {
  const taken: number[] = [];
  for (;;) {
    const port = await parts.leases.next(server, taken);
    if (port === null || host === null || (await isFree(host, port))) return port;
    taken.push(port);
  }
}

async function checkOthers(check: Check, parts: Pick<DeployParts, 'deployments'>, wish: DeployRequest): Promise<void> {
  const { project, environment } = wish;
  const open = await parts.deployments.list({ project, environment, open: true }, 5);
  const others = open.filter(({ deploymentId }) => deploymentId !== wish.deploymentId);
  const lost: DeploymentRow | undefined = others.find(({ state }) => state === 'unknown');
  await check('lock', 'Wait for its end, or cancel it.', () =>
    others[0] ? missing(underWay(others[0], new Date()).message) : found('nobody else deploys it'),
  );
  await check('predecessor', 'It is looked at again every half minute; look at its server.', () =>
    lost ? missing(`What became of ${lost.ref} is not known yet (${lost.deploymentId}).`) : found('none is unknown'),
  );
}
