import { MIB } from '@signalbox/contracts/size';
import type { ServiceKey } from '@signalbox/contracts/operations/deploy';
import { AppError } from '@signalbox/contracts/errors';
import type Docker from 'dockerode';
import type { BuildArtifact, ServiceInstance, ProgramInstance, InstanceRequest, InstanceState } from '../driver.ts';
import { allowNotFound, getStatusCode, type Engine } from './engine.ts';
import { hasImage } from './image-build.ts';
import { ARTIFACT_LABEL, buildContainerName, buildLabelFilter, buildLabels, readLabels } from './labels.ts';

export interface ContainerHost {
  readonly engine: Engine;
  /** Host address on which instances listen. */
  readonly address: string;
  readonly restarts: number;
}

const LOG = { Type: 'json-file', Config: { 'max-size': '10m', 'max-file': '2' } };
/** Maximum of processes per container: enough for a runtime with threads. */
const MAX_PROCESSES = 256;
const TMP = 'rw,nosuid,nodev,size=64m';
const KILLED = 137;

/** Starts a release, or returns the running container of that deployment. A stopped container is restarted with its log. */
export async function startContainer(
  place: ContainerHost,
  request: InstanceRequest,
  signal: AbortSignal,
): Promise<ProgramInstance> {
  const { engine } = place;
  const { id, artifact } = request;
  if (!(await hasImage(engine, artifact, signal))) throw new AppError('ARTIFACT_GONE', { artifact: artifact.ref });
  const earlier = await listContainers(engine, buildLabelFilter(id), signal);
  const known = earlier[0]?.Id ?? (await createContainer(place, request, request.port, signal));
  try {
    await startKnownContainer(engine, known, signal);
    return describe(place, await inspect(engine, known, signal));
  } catch (error) {
    if (getStatusCode(error) === null || getStatusCode(error) === 404) throw error;
  }
  // The host port may be taken, so the engine chooses another port.
  await allowNotFound(engine.call((docker) => docker.getContainer(known).remove({ force: true }), signal));
  const other = await createContainer(place, request, null, signal);
  try {
    await startKnownContainer(engine, other, signal);
  } catch (error) {
    if (getStatusCode(error) === null) throw error;
    await allowNotFound(engine.call((docker) => docker.getContainer(other).remove({ force: true }), signal));
    throw new AppError('CONTAINER_REFUSED', { reason: describeError(error) }, error);
  }
  return describe(place, await inspect(engine, other, signal));
}

/** Quotes the engine's error message, which names a missing program. */
function describeError(error: unknown): string {
  // The engine's client parses the error body into `json`: an object or null.
  const said = error instanceof Error && 'json' in error ? (error.json as { message?: unknown } | null)?.message : null;
  return (typeof said === 'string' ? said : 'it does not say why').trim().slice(0, 400);
}

export async function readContainerState(
  engine: Engine,
  instance: ProgramInstance,
  signal: AbortSignal,
): Promise<InstanceState> {
  const seen = await allowNotFound(inspect(engine, instance.ref, signal));
  return seen === null ? { kind: 'gone' } : readState(engine, seen, signal);
}

/** Stops the container; the engine kills it after `graceMs`, rounded up to seconds. Returns how it ended. */
export async function stopContainer(
  engine: Engine,
  instance: ProgramInstance,
  graceMs: number,
  signal: AbortSignal,
): Promise<'graceful' | 'killed' | 'gone'> {
  const before = await allowNotFound(inspect(engine, instance.ref, signal));
  if (before === null || !before.State.Running) return 'gone';
  const options = { t: Math.ceil(graceMs / 1_000), abortSignal: signal };
  try {
    await allowNotFound(engine.call((docker) => docker.getContainer(instance.ref).stop(options), signal));
  } catch (error) {
    if (getStatusCode(error) !== 304) throw error; // Status 304: the container has exited meanwhile.
  }
  const after = await allowNotFound(inspect(engine, instance.ref, signal));
  if (after?.State.Running) throw new Error(`the container ${instance.ref} runs on after it was stopped`);
  return after?.State.ExitCode === KILLED ? 'killed' : 'graceful';
}

/** Lists all containers of a service, running or not, oldest first. */
export async function findContainers(
  place: ContainerHost,
  service: ServiceKey,
  signal: AbortSignal,
): Promise<readonly ServiceInstance[]> {
  const { engine } = place;
  const found: ServiceInstance[] = [];
  for (const { Id } of await listContainers(engine, buildLabelFilter(service), signal)) {
    const seen = await allowNotFound(inspect(engine, Id, signal)); // Null when the container was removed meanwhile.
    const id = seen && readLabels(seen.Config.Labels);
    if (seen && id) found.push({ id, instance: describe(place, seen), state: await readState(engine, seen, signal) });
  }
  return found.toSorted((one, other) => one.instance.startedAt.localeCompare(other.instance.startedAt));
}

/** Removes an image and its stopped containers. Throws STILL_IN_USE while one of these containers runs. */
export async function discardImage(engine: Engine, artifact: BuildArtifact, signal: AbortSignal): Promise<void> {
  const containers = await listContainers(engine, { label: [`${ARTIFACT_LABEL}=${artifact.ref}`] }, signal);
  const running = containers.find(({ State }) => State === 'running' || State === 'restarting');
  if (running) throw new AppError('STILL_IN_USE', { instance: running.Names[0] ?? running.Id });
  for (const { Id } of containers)
    await allowNotFound(engine.call((docker) => docker.getContainer(Id).remove({ v: true, force: true }), signal));
  if (await hasImage(engine, artifact, signal))
    await allowNotFound(engine.call((docker) => docker.getImage(artifact.ref).remove(), signal));
}

async function createContainer(
  place: ContainerHost,
  request: InstanceRequest,
  port: number | null,
  signal: AbortSignal,
): Promise<string> {
  const { engine, address, restarts } = place;
  const { id, artifact, file, variables } = request;
  const inside = `${file.port}/tcp`;
  const { NCPU } = (await engine.call((docker) => docker.info(), signal)) as { NCPU: number }; // The client's types do not describe the response.
  const all = { HOME: '/tmp', ...variables, PORT: String(file.port), HOST: '0.0.0.0', SIGNALBOX_RELEASE: id.release };
  const options: Docker.ContainerCreateOptions = {
    name: buildContainerName(id),
    Image: artifact.ref,
    // Variables go into the request body, so no command line shows them.
    Env: Object.entries(all).map(([name, value]) => `${name}=${value}`),
    Labels: { ...buildLabels(id), [ARTIFACT_LABEL]: artifact.ref },
    ExposedPorts: { [inside]: {} },
    StopTimeout: file.drainSeconds,
    HostConfig: {
      // The engine keeps a given port when it restarts the container, but not a port that it chose.
      PortBindings: { [inside]: [{ HostIp: address, HostPort: port === null ? '' : String(port) }] },
      Memory: file.memoryMb * MIB,
      MemorySwap: file.memoryMb * MIB,
      NanoCpus: Math.round(Math.min(file.cpus, NCPU) * 1e9),
      PidsLimit: MAX_PROCESSES,
      ReadonlyRootfs: true,
      Tmpfs: { '/tmp': TMP },
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges'],
      LogConfig: LOG,
      RestartPolicy: { Name: 'on-failure', MaximumRetryCount: restarts },
    },
    abortSignal: signal,
  };
  try {
    return (await engine.call((docker) => docker.createContainer(options), signal)).id;
  } catch (error) {
    // A concurrent start of the same deployment has created the container.
    const other =
      getStatusCode(error) === 409 ? (await listContainers(engine, buildLabelFilter(id), signal))[0] : undefined;
    if (other) return other.Id;
    throw error;
  }
}

async function startKnownContainer(engine: Engine, container: string, signal: AbortSignal): Promise<void> {
  try {
    await engine.call((docker) => docker.getContainer(container).start({ abortSignal: signal }), signal);
  } catch (error) {
    if (getStatusCode(error) !== 304) throw error; // Status 304: the container runs already.
  }
}

function inspect(engine: Engine, container: string, signal: AbortSignal): Promise<Docker.ContainerInspectInfo> {
  return engine.call((docker) => docker.getContainer(container).inspect({ abortSignal: signal }), signal);
}

function listContainers(
  engine: Engine,
  filters: { label: string[] },
  signal: AbortSignal,
): Promise<readonly Docker.ContainerInfo[]> {
  return engine.call((docker) => docker.listContainers({ all: true, filters, abortSignal: signal }), signal);
}

async function readState(
  engine: Engine,
  { Id, State, RestartCount, HostConfig }: Docker.ContainerInspectInfo,
  signal: AbortSignal,
): Promise<InstanceState> {
  if (State.Running || State.Restarting)
    return {
      kind: 'running',
      restarts: RestartCount,
      memoryMb: await measureMemoryMb(engine, Id, signal),
      ...(State.Restarting ? { lastExit: State.ExitCode } : {}),
    };
  const isOver = State.Status === 'exited' || State.Status === 'dead';
  return {
    kind: 'exited',
    code: isOver ? State.ExitCode : null,
    oom: State.OOMKilled,
    at: isOver ? State.FinishedAt : null,
    lost: hasGivenUp(State.ExitCode, RestartCount, HostConfig)
      ? null
      : 'it was ended, and its engine has not started it again',
    restarts: RestartCount,
  };
}

/** False when the program exited because the engine went down. */
function hasGivenUp(code: number, restarts: number, { RestartPolicy }: Docker.HostConfig): boolean {
  return code !== 0 && restarts >= (RestartPolicy?.MaximumRetryCount ?? 0);
}

async function measureMemoryMb(engine: Engine, container: string, signal: AbortSignal): Promise<number | null> {
  const options = { stream: false as const, 'one-shot': true, abortSignal: signal };
  const stats = await allowNotFound(engine.call((docker) => docker.getContainer(container).stats(options), signal));
  const used = stats?.memory_stats?.usage;
  if (used === undefined) return null; // The container has no memory figures between a crash and its restart.
  const cached = (stats?.memory_stats.stats as { inactive_file?: number } | undefined)?.inactive_file ?? 0;
  return Math.round((used - cached) / MIB);
}

function describe({ address }: ContainerHost, seen: Docker.ContainerInspectInfo): ProgramInstance {
  // The engine's API documents these types; the client types them as `any`.
  const [inside = ''] = Object.keys((seen.HostConfig.PortBindings as Record<string, unknown> | null) ?? {});
  const bindings = seen.HostConfig.PortBindings as Record<string, { HostPort?: string }[] | undefined> | null; // The engine's API documents this type as well.
  // The network settings hold a port chosen by the engine; the host configuration holds a given port.
  const told = bindings?.[inside]?.[0]?.HostPort;
  const chosen = seen.NetworkSettings.Ports[inside]?.[0]?.HostPort;
  return { ref: seen.Id, host: address, port: Number(chosen || told || 0), startedAt: seen.Created };
}
