import { formatServiceName } from '@signalbox/contracts/operations/deploy';
import { AppError } from '@signalbox/contracts/errors';
import { say } from '@signalbox/messages/say';
import { describeUnopened } from '../variables.ts';
import { SECOND_MS, sleepOrThrow } from '@signalbox/contracts/time';
import type { Driver, ProgramInstance, InstanceState } from '../../drivers/driver.ts';
import { sayEndHint } from './end-hint.ts';
import { leaseInstancePort, moveFromTakenPort } from './instance-port.ts';
import { requireSamePlan } from './plan.ts';
import { createMissingProbe, describeLastAnswer, probeHealth, type HealthProbe } from './probe-health.ts';
import { requireServiceFile, getReleaseId, type DeploymentSession } from '../deployment-session.ts';

const PAUSE_MS = 200;
/** Number of consecutive responses with status 200 after which an instance is healthy. */
const HEALTHY_PROBES = 2;
/** Time to wait for the exit code of a program that crashed at its start. */
const CRASH_MS = 6 * SECOND_MS;

/** Leases a port, opens the variables and starts the artifact. Keeps a running instance of this deployment. */
export async function startRelease(session: DeploymentSession, signal: AbortSignal): Promise<void> {
  const { parts, held } = session;
  const row = held.row();
  const { artifact } = row;
  if (artifact === null) throw new Error(`${row.deploymentId} has nothing to start`);
  const driver = await session.driver();
  const port = await leaseInstancePort(parts.leases, row, { mayListen: true });
  await parts.work.saveChange(row.deploymentId, held.epoch, { port });
  const { values, unopened } = await session.variables(`to start ${formatServiceName(row)}`);
  if (unopened.length > 0) throw new AppError('VARIABLES_UNOPENED', { problems: describeUnopened(unopened) });
  // Compares the variables after opening them, so that a change just before is noticed.
  if (row.plan !== null)
    requireSamePlan({ variables: row.plan.variables }, { variables: await parts.services.variableMarks(row) });
  const file = requireServiceFile(row);
  const instance = await driver.start({ id: getReleaseId(row), artifact, file, variables: values, port }, signal);
  const evidence = { instance: instance.ref, port: instance.port, variables: Object.keys(values) };
  await held.advance('health_checking', evidence, { change: { instance } });
}

/** Switches once the instance is healthy. When another program took the instance's port, starts it on another port. */
export async function checkHealth(session: DeploymentSession, signal: AbortSignal): Promise<void> {
  const found = await waitUntilHealthy(session, signal).catch((error: unknown) =>
    moveFromTakenPort(session, error, signal),
  );
  if (found) await session.held.advance('switching', found);
}

async function waitUntilHealthy(
  session: DeploymentSession,
  signal: AbortSignal,
): Promise<Readonly<Record<string, unknown>>> {
  const { held } = session;
  const row = held.row();
  const { instance } = row;
  if (instance === null) throw new Error(`${row.deploymentId} has no instance to probe`);
  const file = requireServiceFile(row);
  const driver = await session.driver();
  session.follow(instance);
  const deadline = performance.now() + file.health.withinSeconds * SECOND_MS;
  let last: HealthProbe = createMissingProbe('it was not asked yet');
  let good = 0;
  const requireUp = async (): Promise<void> => {
    const state = await readState(driver, instance, signal);
    requireRunning(state, isUp(state) ? '' : sayEndHint(await readLines(driver, instance, signal)));
  };
  for (let probes = 1; ; probes++) {
    await requireUp();
    last = await probeHealth(instance, file, signal);
    good = last.isHealthy ? good + 1 : 0;
    if (good === HEALTHY_PROBES) return { path: file.health.path, looks: probes, ms: last.ms, reports: last.release };
    if (performance.now() > deadline) break;
    await sleepOrThrow(PAUSE_MS, signal);
  }
  await requireUp();
  const { path, withinSeconds, status = 200 } = file.health;
  if (last.isClosed) throw await portIgnored(driver, instance, withinSeconds, signal);
  const said = describeLastAnswer(last, instance, file);
  throw new AppError('INSTANCE_UNHEALTHY', {
    path,
    wanted: String(status),
    seconds: String(withinSeconds),
    last: said,
  });
}

/** Maximum number of log lines in which the port of a program, or why it ended, is searched. */
const MAX_SEARCHED_LINES = 50;

/** Builds the error for a program that listens on another port than the given one; the log may name that port. */
async function portIgnored(
  driver: Driver,
  instance: ProgramInstance,
  withinSeconds: number,
  signal: AbortSignal,
): Promise<AppError> {
  const lines = await readLines(driver, instance, signal);
  const seen = driver.listens?.(instance).find((port) => port !== instance.port) ?? null;
  const own = seen ?? findPort(lines, instance.port);
  const known = own === null ? 'none' : 'log';
  const listens = say('deployment.listensElsewhere', {
    known: seen === null ? known : 'seen',
    own: String(own ?? ''),
  });
  const elsewhere = `${listens}${own === null ? sayEndHint(lines) : ''}`;
  return new AppError('PORT_IGNORED', { port: String(instance.port), seconds: String(withinSeconds), elsewhere });
}

async function readLines(driver: Driver, instance: ProgramInstance, signal: AbortSignal): Promise<string[]> {
  const lines: string[] = [];
  for await (const { line } of driver.logs(instance, { tail: MAX_SEARCHED_LINES, signal })) lines.push(line);
  return lines;
}

/** Finds a port in log lines such as `http://localhost:3000` or `listening on port 3000`; null for none. Pure. */
export function findPort(lines: readonly string[], given: number): number | null {
  const said = lines.flatMap((line) => [
    ...line.matchAll(/(?:\bport\s*(?:[:=]\s*)?|(?:[a-z*\]]|\d\.\d{1,3}):)(\d{2,5})(?![\w.:])/gi),
  ]);
  const ports = said.map(([, digits]) => Number(digits)).filter((port) => port <= 65_535 && port !== given);
  return ports.at(-1) ?? null;
}

/** Reads the state of an instance. After a crash, waits for the exit code, which the driver shows only between two starts. */
async function readState(driver: Driver, instance: ProgramInstance, signal: AbortSignal): Promise<InstanceState> {
  const deadline = performance.now() + CRASH_MS;
  for (;;) {
    const state = await driver.state(instance, signal);
    const isClear = state.kind !== 'running' || state.restarts === 0 || state.lastExit !== undefined;
    if (isClear || performance.now() > deadline) return state;
    await sleepOrThrow(PAUSE_MS / 4, signal);
  }
}

/** Throws INSTANCE_ENDED, with the exit code if known and with the hint, unless the instance still runs and was not restarted. */
export function requireRunning(state: InstanceState, hint = ''): void {
  if (!isUp(state)) throw new AppError('INSTANCE_ENDED', { how: `${howEnded(state)}${hint}` });
}

function isUp(state: InstanceState): boolean {
  return state.kind === 'running' && state.restarts === 0 && state.lastExit === undefined;
}

function howEnded(state: InstanceState): string {
  const sayHow = (code: string | number): string => say('deployment.instanceEnded', { code: String(code) });
  if (state.kind === 'gone') return sayHow('gone');
  if (state.kind === 'running') return sayHow(state.lastExit ?? 'crashed');
  return sayHow(state.oom ? 'memory' : (state.code ?? 'signal'));
}
