import { getDriverTraits } from '@signalbox/contracts/operations/drivers';
import { say } from '@signalbox/messages/say';
import type { FullDeploymentRow } from '@signalbox/store/deploy/deployments-rows';
import { createInstanceLabel, leaseUsablePort, type PortLeases } from '../port-leases.ts';
import { AppError, toAppError, type ErrorCode } from '@signalbox/contracts/errors';
import { SECOND_MS } from '@signalbox/contracts/time';
import { hasConnections, isPortFree } from './probe-health.ts';
import { releaseInstancePort, requireServiceFile, type DeploymentSession } from '../deployment-session.ts';

/** Address on which programs on this machine listen. Container engines choose their ports themselves. */
const HOST = '127.0.0.1';
/** Number of ports lost to other programs after which the deployment fails. */
const MAX_TAKEN_PORTS = 3;
const STOP_GRACE_MS = 5 * SECOND_MS;
/** Error codes of a program whose port another program may have taken. */
const TAKEN_PORT_CODES: ReadonlySet<ErrorCode> = new Set(['INSTANCE_ENDED', 'INSTANCE_UNHEALTHY']);

/** Leases a port that is free in the table and, without an engine, on this machine. `mayListen`: true when the instance may use it. */
export function leaseInstancePort(
  leases: PortLeases,
  row: FullDeploymentRow,
  { mayListen }: { mayListen: boolean },
): Promise<number> {
  const { server, project, deploymentId, userKey: by } = row;
  const lease = {
    server,
    project,
    label: createInstanceLabel(deploymentId),
    memoryMb: requireServiceFile(row).memoryMb,
    by,
  };
  return leaseUsablePort(leases, lease, async (port, isOld) => {
    if ((isOld && mayListen) || getDriverTraits(row.driver).runsImages) return true;
    return (await isPortFree(HOST, port)) && (isOld || !(await hasConnections(port)));
  });
}

/** Moves an instance to the next port when another program took its port; otherwise rethrows `error`. Throws NO_CAPACITY. */
export async function moveFromTakenPort(
  session: DeploymentSession,
  error: unknown,
  signal: AbortSignal,
): Promise<void> {
  const { parts, held } = session;
  const row = held.row();
  const { instance } = row;
  const { code } = toAppError(error, row.deploymentId);
  if (!TAKEN_PORT_CODES.has(code) || getDriverTraits(row.driver).runsImages || instance === null) throw error;
  if (await isPortFree(HOST, instance.port)) throw error;
  // The program that listens may still be the deployment's own instance.
  await (await session.driver()).stop(instance, STOP_GRACE_MS, signal);
  if (await isPortFree(HOST, instance.port)) throw error;
  const { port } = instance;
  const events = await parts.deployments.events(row.deploymentId);
  const before = events.flatMap(({ to, evidence }) =>
    to === 'starting' && typeof evidence.taken === 'number' ? [evidence.taken] : [],
  );
  if (before.length + 1 >= MAX_TAKEN_PORTS) {
    const ports = [...before, port].join(', ');
    const detail = say('deployment.portsTakenByOthers', { port, ports });
    throw new AppError('NO_CAPACITY', { detail });
  }
  await session.unfollow();
  await releaseInstancePort(parts, row);
  await held.advance('starting', { taken: port, because: code }, { change: { port: null, instance: null } });
}
