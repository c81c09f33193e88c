import { formatServiceName, type ServiceFile, type ServiceKey } from '@signalbox/contracts/operations/deploy';
import { createInstanceLabel } from './port-leases.ts';
import type { FullDeploymentRow } from '@signalbox/store/deploy/deployments-rows';
import type { Closable } from '@signalbox/platform/lifecycle';
import type { Driver, ProgramInstance, ReleaseId } from '../drivers/driver.ts';
import type { JobContext } from '../runner/handlers.ts';
import { createOpenedSecrets, type OpenedSecrets } from '../runner/opened-secrets.ts';
import { leaseDeployment, type LeasedDeployment } from './leased-deployment.ts';
import { createLineStore, type LineStore } from './line-store.ts';
import type { DeployDeps } from './deploy-deps.ts';
import { openVariables, type OpenedVariables } from './variables.ts';

export interface DeploymentSession extends Closable {
  readonly parts: DeployDeps;
  readonly context: JobContext;
  readonly held: LeasedDeployment;
  readonly lines: LineStore;
  readonly opened: OpenedSecrets;
  driver(): Promise<Driver>;
  /** Opens the service's variables. Their secret values are redacted from all later log lines. */
  variables(purpose: string): Promise<OpenedVariables>;
  /** Opens the variables, unless this session already has, so that their values are redacted from log lines. */
  protectLines(): Promise<void>;
  /** Stores the program's output from now on, until `unfollow` or `close` is called. Idempotent. */
  follow(instance: ProgramInstance): void;
  unfollow(): Promise<void>;
}

export async function openDeploymentSession(
  parts: DeployDeps,
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
        driver = null; // A server that cannot be reached may answer at the next attempt.
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
      if (!isProtected) await session.variables(`to keep it out of the lines of ${formatServiceName(held.row())}`);
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

export function getReleaseId(row: FullDeploymentRow): ReleaseId {
  const { project, environment, deploymentId, release, epoch } = row;
  return { project, environment, deploymentId, release: release ?? 'unknown', fence: epoch };
}

/** Returns only the fields that name the service, because drivers filter by every field they get. */
export function pickService({ project, environment }: ServiceKey): ServiceKey {
  return { project, environment };
}

/** Returns the content of the service's signalbox.json. A call before the file was read is a programming error and throws. */
export function requireServiceFile(row: FullDeploymentRow): ServiceFile {
  if (row.file === null) throw new Error(`${row.deploymentId} is ${row.state}, and its signalbox.json was not read`);
  return row.file;
}

export async function releaseInstancePort(
  parts: Pick<DeployDeps, 'leases'>,
  row: Pick<FullDeploymentRow, 'server' | 'project' | 'deploymentId'>,
): Promise<void> {
  await parts.leases.end(row.server, row.project, createInstanceLabel(row.deploymentId));
}

export function createPublicUrl(parts: Pick<DeployDeps, 'publicHost'>, port: number): string {
  return `http://${parts.publicHost}:${port}/`;
}
