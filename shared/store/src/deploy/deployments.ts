import {
  isCancellable,
  isFinalState,
  type DeployPlan,
  type DeployState,
  type ServiceKey,
} from '@signalbox/contracts/operations/deploy';
import { AppError } from '@signalbox/contracts/errors';
import { placeService } from './deployments-placement.ts';
import {
  createDeploymentNotFound,
  createUnderWayError,
  findDeployment,
  FINAL_STATES,
  SELECT_DEPLOYMENT,
  type DeploymentRow,
} from './deployments-rows.ts';
import { withTransaction, type Pool, type Queryable } from '../pool.ts';
import { findRow, findValue, listRows, listValues, sql } from '../sql.ts';

export interface DeploymentRequest extends ServiceKey {
  readonly deploymentId: string;
  readonly kind: 'deploy' | 'rollback';
  readonly ref: string;
  readonly server: string | null;
  readonly fromArtifact: string | null;
  /** The approved plan; when missing, the worker resolves the arguments at the start. */
  readonly plan?: DeployPlan;
  readonly userKey: string;
  readonly threadId: string;
}

export interface DeploymentFilter extends Partial<ServiceKey> {
  readonly open?: boolean;
  readonly states?: readonly DeployState[];
  /** Deployments that ended since then or, while they last, were requested since then. */
  readonly since?: Date;
  readonly threadId?: string;
  readonly userKey?: string;
}

export interface DeploymentEventRow {
  readonly at: Date;
  readonly from: DeployState | null;
  readonly to: DeployState;
  readonly actor: string;
  readonly evidence: Readonly<Record<string, unknown>>;
}

/** Requests and reads deployments. The worker that runs them uses `DeploymentStore`. */
export function createDeploymentStore(pool: Pool) {
  return {
    /**
     * Creates a deployment in state `queued`. Idempotent by id. Throws NOT_FOUND (project, server, deployment to restart),
     * DEPLOYMENT_UNDER_WAY, SERVED_ELSEWHERE.
     */
    request: (request: DeploymentRequest): Promise<DeploymentRow> =>
      withTransaction(pool, (db) => putRequest(db, request)),

    find: (deploymentId: string): Promise<DeploymentRow | null> => findDeployment(pool, deploymentId),

    /** Lists deployments, newest first. */
    list(filter: DeploymentFilter, limit: number): Promise<readonly DeploymentRow[]> {
      return listRows<DeploymentRow>(pool)`
        ${SELECT_DEPLOYMENT} where (${filter.project ?? null}::text is null or d.project = ${filter.project ?? null})
          and (${filter.environment ?? null}::text is null or d.environment = ${filter.environment ?? null})
            and (${filter.open ?? null}::boolean is null or ${filter.open ?? null} = (d.state not in ${FINAL_STATES}))
            and (${filter.threadId ?? null}::text is null or d.thread_id = ${filter.threadId ?? null})
              and (${filter.userKey ?? null}::text is null or d.user_key = ${filter.userKey ?? null})
              and (${filter.states ?? null}::text[] is null or d.state = any(${filter.states ?? null}::text[]))
              and (${filter.since ?? null}::timestamptz is null or coalesce(d.finished_at, d.requested_at) >= ${filter.since ?? null})
          order by d.requested_at desc, d.deployment_id desc limit ${limit}`;
    },

    /** Lists the names of the people who approved the deployment, in order of approval. */
    approvers(deploymentId: string): Promise<readonly string[]> {
      return listValues<string>(pool)`
        select v.name from approvals a join approval_votes v on v.approval_id = a.approval_id
          where a.action_id = ${deploymentId} order by v.voted_at, v.user_key`;
    },

    /** Throws DEPLOYMENT_UNDER_WAY while a deployment of this service is in progress. */
    async requireIdle(service: ServiceKey): Promise<void> {
      const open = await findOpenDeployment(pool, service);
      if (open) throw createUnderWayError(open, new Date());
    },

    /** Finds the last deployment that served another release than the current one; null when there is none. */
    before(service: ServiceKey): Promise<DeploymentRow | null> {
      return findRow<DeploymentRow>(pool)`
        ${SELECT_DEPLOYMENT} where d.project = ${service.project} and d.environment = ${service.environment} and d.state = 'succeeded'
            and d.deployment_id is distinct from v.serving
            and d.release is distinct from (select s.release from deployments s where s.deployment_id = v.serving)
          order by d.finished_at desc, d.deployment_id desc limit 1`;
    },

    /** Finds the newest release before the serving one that was well when it was replaced: no incident of its time was open then. */
    healthyBefore(service: ServiceKey): Promise<DeploymentRow | null> {
      return findRow<DeploymentRow>(pool)`
        ${SELECT_DEPLOYMENT} where d.project = ${service.project} and d.environment = ${service.environment} and d.state = 'succeeded'
            and d.deployment_id is distinct from v.serving
            and d.release is distinct from (select s.release from deployments s where s.deployment_id = v.serving)
            and not exists (select from incidents i, lateral (
                  select coalesce(min(n.finished_at), 'infinity') as until from deployments n
                   where n.project = d.project and n.environment = d.environment and n.state = 'succeeded' and n.finished_at > d.finished_at) w
                 where i.subject = 'service:' || d.project || '/' || d.environment
                   and i.opened_at >= d.finished_at and i.opened_at < w.until and coalesce(i.closed_at, 'infinity') >= w.until)
          order by d.finished_at desc, d.deployment_id desc limit 1`;
    },

    /** Reads how long a deployment took to answer when it began to serve, in milliseconds; null when it never did. */
    firstLatencyMs(deploymentId: string): Promise<number | null> {
      return findValue<number>(pool)`select (evidence ->> 'ms')::float8 from deployment_events
          where deployment_id = ${deploymentId} and to_state = 'draining' and evidence ? 'ms' order by n desc limit 1`;
    },

    /** Lists the events of a deployment, oldest first. */
    events(deploymentId: string): Promise<readonly DeploymentEventRow[]> {
      return listRows<DeploymentEventRow>(pool)`select at, from_state as "from", to_state as "to", actor,
          evidence from deployment_events where deployment_id = ${deploymentId} order by n`;
    },

    /** Reads the newest `tail` lines of the deploy log, oldest first, redacted. */
    async lines(
      deploymentId: string,
      tail: number,
    ): Promise<readonly { readonly at: Date; readonly state: string; readonly line: string }[]> {
      const rows = await listRows<{ at: Date; state: string; line: string }>(pool)`
        select at, state, line from deployment_lines where deployment_id = ${deploymentId} order by n desc limit ${tail}`;
      return rows.toReversed();
    },

    /**
     * Requests to cancel a deployment. It ends at once when it has not started, and refuses once it switches traffic. Idempotent. Throws
     * NOT_FOUND.
     */
    cancel: (deploymentId: string, by: string, actionId: string) =>
      withTransaction(pool, (db) => cancel(db, deploymentId, by, actionId)),

    /**
     * Notes that the canceling action no longer waits, so that the person who waits for the run is notified of its end. False when the
     * run has ended. Idempotent.
     */
    leaveCancel: (deploymentId: string, actionId: string): Promise<boolean> =>
      withTransaction(pool, async (db) => {
        const state = await lockState(db, deploymentId);
        if (state === null || isFinalState(state)) return false;
        await db.query(sql`update deployments set cancel_action = null where deployment_id = ${deploymentId}
            and cancel_action = ${actionId}`);
        return true;
      }),
  };
}

async function putRequest(db: Queryable, request: DeploymentRequest): Promise<DeploymentRow> {
  const earlier = await findDeployment(db, request.deploymentId);
  if (earlier) return earlier;
  const { server, driver, serving } = await placeService(db, request, request.plan?.server.name ?? request.server);
  const other = await findOpenDeployment(db, request);
  // A concurrent call made the same request: its row was written while this call waited for the lock on the service.
  if (other?.deploymentId === request.deploymentId) return other;
  if (other) throw createUnderWayError(other, new Date());
  if (request.fromArtifact !== null) await requireOfService(db, request, request.fromArtifact);
  await db.query(sql`
    insert into deployments (deployment_id, project, environment, server, driver, kind, ref, from_artifact, replaces, user_key,
      thread_id, plan)
     values (${request.deploymentId}, ${request.project}, ${request.environment}, ${server}, ${driver}, ${request.kind}, ${request.ref},
       ${request.fromArtifact}, ${serving}, ${request.userKey}, ${request.threadId},
       ${request.plan === undefined ? null : JSON.stringify(request.plan)}::jsonb)`);
  const evidence = { ref: request.ref, server, driver };
  await addEvent(db, request.deploymentId, { from: null, to: 'queued', actor: request.userKey, epoch: null, evidence });
  const written = await findDeployment(db, request.deploymentId);
  if (!written) throw new Error('a deployment that was just written is not there');
  return written;
}

export function findOpenDeployment(db: Queryable, { project, environment }: ServiceKey): Promise<DeploymentRow | null> {
  return findRow<DeploymentRow>(db)`${SELECT_DEPLOYMENT} where d.project = ${project}
      and d.environment = ${environment} and d.state not in ${FINAL_STATES}`;
}

async function requireOfService(db: Queryable, service: ServiceKey, deploymentId: string): Promise<void> {
  const source = await findDeployment(db, deploymentId);
  if (!source) throw await createDeploymentNotFound(db, deploymentId);
  if (source.project === service.project && source.environment === service.environment) return;
  const { project, environment } = service;
  throw new AppError('DEPLOYMENT_OF_OTHER', { deployment: deploymentId, project, environment });
}

async function cancel(
  db: Queryable,
  deploymentId: string,
  by: string,
  actionId: string,
): Promise<{ readonly accepted: boolean; readonly state: DeployState }> {
  const row = await findRow<{ state: DeployState; action: string | null; before: DeployState | null }>(db)`
    select state, cancel_action as action, (
       select e.to_state from deployment_events e where e.deployment_id = d.deployment_id and e.to_state <> 'unknown' order by e.n desc
         limit 1
     ) as before from deployments d where deployment_id = ${deploymentId} for update`;
  if (!row) throw await createDeploymentNotFound(db, deploymentId);
  const { state, action } = row;
  if (action !== null || state === 'cancelling' || state === 'cancelled')
    return { accepted: action === actionId || !isFinalState(state) || state === 'cancelled', state };
  // The state before the worker was lost decides: once traffic may have switched, only a rollback works.
  if (!isCancellable(state === 'unknown' ? (row.before ?? 'queued') : state)) return { accepted: false, state };
  await db.query(sql`update deployments set cancel_at = clock_timestamp(), cancel_by = ${by},
      cancel_action = ${actionId} where deployment_id = ${deploymentId}`);
  if (state !== 'queued') return { accepted: true, state };
  await db.query(sql`update deployments set state = 'cancelled', state_at = clock_timestamp(),
      finished_at = clock_timestamp() where deployment_id = ${deploymentId}`);
  const evidence = { action: actionId, begun: false };
  await addEvent(db, deploymentId, { from: 'queued', to: 'cancelled', actor: by, epoch: null, evidence });
  return { accepted: true, state: 'cancelled' };
}

/** Appends an event about earlier work to an ended deployment. */
export async function addNote(
  db: Queryable,
  deploymentId: string,
  note: Pick<DeploymentEventRow, 'actor' | 'evidence'> & { readonly epoch: number | null },
): Promise<void> {
  const state = await lockState(db, deploymentId);
  if (state !== null) await addEvent(db, deploymentId, { from: state, to: state, ...note });
}

/** Reads the state of a deployment, and locks its row until the transaction ends; null for an unknown id. */
export function lockState(db: Queryable, deploymentId: string): Promise<DeployState | null> {
  return findValue<DeployState>(db)`select state from deployments where deployment_id = ${deploymentId} for update`;
}

/** Appends an event to a deployment whose row the caller has locked. */
export async function addEvent(
  db: Queryable,
  deploymentId: string,
  event: Omit<DeploymentEventRow, 'at'> & { readonly epoch: number | null },
): Promise<void> {
  await db.query(sql`insert into deployment_events (deployment_id, n, from_state, to_state, actor, fence, evidence)
     select ${deploymentId}, coalesce(max(n), 0) + 1, ${event.from}, ${event.to}, ${event.actor}, ${event.epoch},
       ${JSON.stringify(event.evidence)}::jsonb from deployment_events where deployment_id = ${deploymentId}`);
}
