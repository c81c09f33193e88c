import { getDriverTraits } from '@signalbox/contracts/operations/drivers';
import { say } from '@signalbox/messages/say';
import type { WorkRow } from '@signalbox/store/deploy/deployments-rows';
import { createInstanceLabel, leaseUsable, type PortLeases } from '../deployments-ports.ts';
import { AppError, toAppError, type ErrorCode } from '@signalbox/contracts/errors';
import { SECOND_MS } from '@signalbox/contracts/time';
import { hasConnections, isFree } from './reach.ts';
import { endLease, requireFile, type DeploymentSession } from '../deployment-session.ts';

/** Address of programs on this machine; engines choose ports themselves. */
const HOST = '127.0.0.1';
/** Ports lost to other programs at the last moment before the deployment fails. */
const TAKEN_PORTS = 3;
const STOP_GRACE_MS = 5 * SECOND_MS;
/** Failures of a program whose port is taken. */
const SIGNS: ReadonlySet<ErrorCode> = new Set(['INSTANCE_ENDED', 'INSTANCE_UNHEALTHY']);

/** Leases a port that is free in the table and, on this machine, in fact; keeps the current one when its instance may listen there. */
export function leaseInstancePort(
  leases: PortLeases,
  row: WorkRow,
  { mayListen }: { mayListen: boolean },
): Promise<number> {
  const { server, project, deploymentId, userKey: by } = row;
  const lease = { server, project, label: createInstanceLabel(deploymentId), memoryMb: requireFile(row).memoryMb, by };
  return leaseUsable(leases, lease, async (port, isOld) => {
    if ((isOld && mayListen) || getDriverTraits(row.driver).runsImages) return true;
    return (await isFree(HOST, port)) && (isOld || !(await hasConnections(port)));
  });
}

/**
 * Handles an unhealthy instance: when another program listens on its port, ends the instance and restarts it with the next port. Throws the
 * given error when the port is not the reason, and NO_CAPACITY after a few ports.
 */
export async function leaveTakenPort(session: DeploymentSession, error: unknown, signal: AbortSignal): Promise<void> {
  const { parts, held } = session;
  const row = held.row();
  const { instance } = row;
  const { code } = toAppError(error, row.deploymentId);
  if (!SIGNS.has(code) || getDriverTraits(row.driver).runsImages || instance === null) throw error;
  if (await isFree(HOST, instance.port)) throw error;
  // The listener may still be our own.
  await (await session.driver()).stop(instance, STOP_GRACE_MS, signal);
  if (await isFree(HOST, instance.port)) throw error;
  const { port } = instance;
  const events = await parts.deployments.events(row.deploymentId);
  const before = events.flatMap(({ to, evidence }) =>
    to === 'starting' && typeof evidence.taken === 'number' ? [evidence.taken] : [],
  );
  if (before.length + 1 >= TAKEN_PORTS) {
    const ports = [...before, port].join(', ');
    const detail = say('deployment.portsTakenByOthers', { port, ports });
    throw new AppError('NO_CAPACITY', { detail });
  }
  await session.unfollow();
  await endLease(parts, row);
  await held.advance('starting', { taken: port, because: code }, { change: { port: null, instance: null } });
}
