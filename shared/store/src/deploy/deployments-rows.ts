import type {
  ServerConnection,
  DeployFailure,
  DeployPlan,
  DeployState,
  RunSettings,
  ServiceFile,
  ServiceKey,
} from '@signalbox/contracts/operations/deploy';
import type { BuildArtifact, DriverName, ProgramInstance } from '@signalbox/contracts/operations/drivers';
import { AppError } from '@signalbox/contracts/errors';
import { formatNameList } from '@signalbox/contracts/nearest-name';
import { sayDeployState } from '@signalbox/messages/deploy-state';
import { sayDuration } from '@signalbox/messages/duration';
import { say } from '@signalbox/messages/say';
import type { Queryable } from '../pool.ts';
import type { StoredLogin } from './projects.ts';
import { findRow, listValues, sql } from '../sql.ts';

export interface DeploymentRow extends ServiceKey {
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
  readonly serving: boolean;
  readonly kept: boolean;
  readonly cancelAt: Date | null;
}

/** Everything that is stored about a deployment, for the worker that runs it. */
export interface FullDeploymentRow extends DeploymentRow {
  readonly driver: DriverName;
  readonly epoch: number;
  /** The approved plan; null for a deployment requested in an earlier release. */
  readonly plan: DeployPlan | null;
  readonly fromArtifact: string | null;
  readonly replaces: string | null;
  readonly threadId: string | null;
  readonly startedAt: Date | null;
  /** Milliseconds since the deployment started, or since its request while it has not started, by the database's clock. */
  readonly ageMs: number;
  readonly deadlineAt: Date | null;
  readonly progressAt: Date | null;
  readonly cancelBy: string | null;
  /** Content of the service's signalbox.json; null until the worker has read the file. */
  readonly file: ServiceFile | null;
  readonly instance: ProgramInstance | null;
  readonly artifact: BuildArtifact | null;
  readonly port: number | null;
  readonly repository: string | null;
  readonly repositoryLogin: StoredLogin | null;
  /** Settings of the project, as people gave them in the chat. */
  readonly run: RunSettings;
  readonly serverHost: string;
  readonly connection: ServerConnection;
  readonly hostKey: string | null;
}

export const FINAL_STATES = sql`('succeeded', 'failed', 'rolled_back', 'cancelled')`;

const PUBLIC = sql`d.deployment_id as "deploymentId", d.project, d.environment, d.server, d.kind, d.ref, d.commit, d.release, d.state,
  d.user_key as "userKey", coalesce(u.name, d.user_key) as "userName", d.requested_at as "requestedAt", d.state_at as "stateAt",
  d.finished_at as "finishedAt", d.url, d.failure, coalesce(v.serving = d.deployment_id, false) as serving,
  d.artifact_kept as kept, d.cancel_at as "cancelAt"`;
const FROM = sql`from deployments d join services v on v.project = d.project and v.environment = d.environment
  left join users u on u.user_key = d.user_key`;

/** SELECT statement to which a condition on the alias `d` is appended. */
export const SELECT_DEPLOYMENT = sql`select ${PUBLIC} ${FROM}`;
/** SELECT statement to which a condition on the alias `d` is appended. Large numbers are cast, because pg returns bigint as text. */
export const SELECT_FULL_DEPLOYMENT = sql`select ${PUBLIC}, d.driver, coalesce(d.fence, 0)::float8 as epoch, d.plan, d.from_artifact as "fromArtifact", d.replaces,
  d.thread_id as "threadId", d.started_at as "startedAt",
  (extract(epoch from clock_timestamp() - coalesce(d.started_at, d.requested_at)) * 1000)::float8 as "ageMs", d.deadline_at as "deadlineAt", d.progress_at as "progressAt",
  d.cancel_by as "cancelBy", d.file, d.instance, d.artifact, d.port, p.repository, p.repository_login as "repositoryLogin", p.run, s.host as "serverHost", s.connection, s.host_key as "hostKey"
  ${FROM} join projects p on p.name = d.project join servers s on s.name = d.server`;

export function findDeployment(db: Queryable, deploymentId: string): Promise<DeploymentRow | null> {
  return findRow<DeploymentRow>(db)`${SELECT_DEPLOYMENT} where d.deployment_id = ${deploymentId}`;
}

/** Builds the error NOT_FOUND for an unknown deployment id; it lists the newest ids. */
export async function createDeploymentNotFound(db: Queryable, deploymentId: string): Promise<AppError> {
  const newest = await listValues<string>(db)`select deployment_id from deployments order by requested_at desc limit 5`;
  return new AppError('NOT_FOUND', {
    kind: 'deployment',
    name: deploymentId,
    known: formatNameList(deploymentId, newest),
  });
}

/** Builds the error DEPLOYMENT_UNDER_WAY, with the requester, time and state of the running deployment. */
export function createUnderWayError(
  open: Pick<DeploymentRow, 'project' | 'environment' | 'ref' | 'kind' | 'state' | 'userName' | 'requestedAt'>,
  now: Date,
): AppError {
  const { project, environment, kind, ref, userName: person, requestedAt } = open;
  const ago = sayDuration(Math.max(0, now.getTime() - requestedAt.getTime()));
  const asked = say('deployment.askedFor', { person, kind, ref, ago, at: requestedAt.toISOString() });
  return new AppError('DEPLOYMENT_UNDER_WAY', { project, environment, asked, state: sayDeployState(open.state) });
}
