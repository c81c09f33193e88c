import { serviceName, type ServiceFile, type ServiceKey } from '@signalbox/contracts/operations/deploy';
import { instanceLabel } from './deployments-ports.ts';
import type { WorkRow } from '@signalbox/store/deploy/deployments-rows';
import type { Closable } from '@signalbox/platform/lifecycle';
import type { Driver, Instance, ReleaseId } from '../drivers/driver.ts';
import type { JobContext } from '../runner/handlers.ts';
import { createOpenedSecrets, type OpenedSecrets } from '../runner/opened-secrets.ts';
import { leaseDeployment, type LeasedDeployment } from './leased-deployment.ts';
import { createLineStore, type LineStore } from './lines.ts';
import type { DeployParts } from './parts.ts';
import { openVariables, type OpenedVariables } from './variables.ts';

/** Everything that the steps of one deployment share while one process works on it. */
export interface DeploymentSession extends Closable {
  readonly parts: DeployParts;
  readonly context: JobContext;
  readonly held: LeasedDeployment;
  readonly lines: LineStore;
  readonly opened: OpenedSecrets;
  /** Opened when it is needed first. */
  driver(): Promise<Driver>;
  /** The variables with their values. Whatever they are needed for, lines are free of them afterwards. */
  variables(purpose: string): Promise<OpenedVariables>;
  /** Before lines of the program are read by a process that has not opened its secrets: they must not be in them. */
  protectLines(): Promise<void>;
  /** What the program writes goes into the lines from now on, until `unfollow` or the end. Twice is once. */
  follow(instance: Instance): void;
  unfollow(): Promise<void>;
}

export async function openDeploymentSession(
  parts: DeployParts,
  claimed: { readonly deploymentId: string; readonly epoch: number },
  context: JobContext,
): Promise<DeploymentSession> {
  const held = await leaseDeployment(parts, claimed, context);
  const opened = createOpenedSecrets();
  const lines = createLineStore({
    ...claimed,
    work: parts.work,
    state: () => held.state(),
    mask: (text) => opened.mask(text),
    log: context.log,
  });
  let driver: Promise<Driver> | null = null;
  let isProtected = false;
  let following: { readonly stop: AbortController; readonly over: Promise<void> } | null = null;

  const session: DeploymentSession = {
    parts,
    context,
    held,
    lines,
    opened,
    driver: () => {
      driver ??= parts.openDriver(held.row(), context).catch((error: unknown) => {
        driver = null; // a server that does not answer may answer the next time
        throw error;
      });
      return driver;
    },
    async variables(purpose) {
      const variables = await openVariables(parts, held.row(), { openSecret: context.openSecret, opened, purpose });
      isProtected = true;
      return variables;
    },
    async protectLines() {
      if (!isProtected) await session.variables(`to keep it out of the lines of ${serviceName(held.row())}`);
    },
    follow(instance) {
      if (following) return;
      const stop = new AbortController();
      const read = async (): Promise<void> => {
        await session.protectLines();
        const query = { tail: 200, since: new Date(instance.startedAt), follow: true, signal: stop.signal };
        for await (const line of (await session.driver()).logs(instance, query)) lines.push(line);
      };
      const over = read().catch((error: unknown) => {
        if (!stop.signal.aborted) context.log.warn('log of an instance is not followed any more', { error });
      });
      following = { stop, over };
    },
    async unfollow() {
      following?.stop.abort();
      await following?.over;
      following = null;
    },
    async close() {
      await session.unfollow();
      await lines.close();
      await held.close();
      await driver?.then(
        (open) => open.close(),
        () => undefined,
      );
    },
  };
  return session;
}

/** By what the driver knows it: labels of what is built and started. */
export function releaseId(row: WorkRow): ReleaseId {
  const { project, environment, deploymentId, release, epoch } = row;
  return { project, environment, deploymentId, release: release ?? 'unknown', fence: epoch };
}

/** The service alone: a driver that is given more looks for less. */
export function serviceOf({ project, environment }: ServiceKey): ServiceKey {
  return { project, environment };
}

/** What its signalbox.json says. Throws when the deployment has not come that far, which is a mistake of ours. */
export function fileOf(row: WorkRow): ServiceFile {
  if (row.file === null) throw new Error(`${row.deploymentId} is ${row.state}, and its signalbox.json was not read`);
  return row.file;
}

/** Gives back what was leased for an instance that is gone. */
export async function endLease(
  parts: Pick<DeployParts, 'leases'>,
  row: Pick<WorkRow, 'server' | 'project' | 'deploymentId'>,
): Promise<void> {
  await parts.leases.end(row.server, row.project, instanceLabel(row.deploymentId));
}

/** Where people reach what the proxy listens for at a port. */
export function publicUrl(parts: Pick<DeployParts, 'publicHost'>, port: number): string {
  return `http://${parts.publicHost}:${port}/`;
}
