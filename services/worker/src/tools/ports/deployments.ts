import type { DeployFailure, DeployPlan, DeployState, ServiceKey } from '@signalbox/contracts/operations/deploy';

/** One release on its way to a service, or what became of it. */
export interface Deployment extends ServiceKey {
  readonly deploymentId: string;
  readonly server: string;
  readonly kind: 'deploy' | 'rollback';
  readonly ref: string;
  readonly commit: string | null;
  readonly release: string | null;
  readonly state: DeployState;
  readonly userKey: string;
  readonly userName: string;
  readonly requestedAt: Date;
  readonly stateAt: Date;
  readonly finishedAt: Date | null;
  readonly url: string | null;
  readonly failure: DeployFailure | null;
  /** Whether it is what serves now. */
  readonly serving: boolean;
  /** Whether it can be started again without building it. */
  readonly kept: boolean;
  readonly cancelAt: Date | null;
}

export interface DeploymentEvent {
  readonly at: Date;
  readonly from: DeployState | null;
  readonly to: DeployState;
  readonly actor: string;
  readonly evidence: Readonly<Record<string, unknown>>;
}

export interface DeployRequest extends ServiceKey {
  readonly deploymentId: string;
  readonly kind: 'deploy' | 'rollback';
  readonly ref: string;
  /** Null: where the service is; for a new one the server of the environment with the most room, or the local one. */
  readonly server: string | null;
  /** A rollback: the deployment whose artifact is started again. */
  readonly fromArtifact: string | null;
  /** What was decided about; the job runs that and nothing else. */
  readonly plan: DeployPlan;
  readonly userKey: string;
  readonly threadId: string;
}

/** Deployments and what is known of them. */
export interface Deployments {
  /**
   * Writes the wish: a deployment in state `queued`, for which the job `deploy.run` of the same id is started next. Idempotent by
   * id. Throws NOT_FOUND (project, server), CONFLICT when another one of the service has not ended, and says whose and since when.
   */
  request(request: DeployRequest): Promise<Deployment>;
  find(deploymentId: string): Promise<Deployment | null>;
  /** The newest first. */
  list(filter: Partial<ServiceKey> & { readonly open?: boolean }, limit: number): Promise<readonly Deployment[]>;
  /** The deployment to roll back to: the last that served another release than serves now, kept or not; null without one. */
  before(service: ServiceKey): Promise<Deployment | null>;
  events(deploymentId: string): Promise<readonly DeploymentEvent[]>;
  /** The newest `tail` lines that were written while it was deployed, the oldest first, redacted. */
  lines(
    deploymentId: string,
    tail: number,
  ): Promise<readonly { readonly at: Date; readonly state: string; readonly line: string }[]>;
  /** Asks for an end. Not accepted from `switching` on. Idempotent by action id. Throws NOT_FOUND. */
  cancel(
    deploymentId: string,
    by: string,
    actionId: string,
  ): Promise<{ readonly accepted: boolean; readonly state: DeployState }>;
  /** The action no longer waits for the end that it asked for: the end is told as news. False when it has ended already. */
  leaveCancel(deploymentId: string, actionId: string): Promise<boolean>;
}
