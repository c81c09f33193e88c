import {
  DEPLOY_TRANSITIONS,
  isFinalState,
  type DeployFailure,
  type DeployPlan,
  type DeployState,
  type ServiceFile,
  type ServiceKey,
} from '@signalbox/contracts/operations/deploy';
import type { BuildArtifact, ProgramInstance } from '@signalbox/contracts/operations/drivers';
import { redactText, redactValue } from '@signalbox/safety/redact/redact';
import { addEvent, lockState } from '@signalbox/store/deploy/deployments';
import { findDeployServer, type ServerAccess } from '@signalbox/store/deploy/deployments-placement';
import { FINAL_STATES, SELECT_FULL_DEPLOYMENT, type FullDeploymentRow } from '@signalbox/store/deploy/deployments-rows';
import { addErrors, type FoundErrors } from '@signalbox/store/deploy/error-groups';
import { withTransaction, type Pool, type Queryable } from '@signalbox/store/pool';
import { findRow, findValue, hasRow, listRows, listValues, sql } from '@signalbox/store/sql';

export interface DeploymentChange {
  readonly commit?: string;
  readonly release?: string;
  readonly port?: number | null;
  readonly url?: string;
  readonly file?: ServiceFile;
  readonly artifact?: BuildArtifact;
  readonly instance?: ProgramInstance | null;
  readonly kept?: boolean;
  readonly failure?: DeployFailure;
}

export interface StateTransition {
  readonly epoch: number;
  readonly from: DeployState;
  readonly to: DeployState;
}

export interface TransitionDetails {
  readonly actor: string;
  readonly evidence: Readonly<Record<string, unknown>>;
  /** Time limit of the new state, in milliseconds from now; null when there is none. */
  readonly limitMs: number | null;
  readonly change?: DeploymentChange;
  /** The deployment that serves from now on: this one, or the replaced one, or null. */
  readonly serving?: { readonly deploymentId: string | null; readonly port: number | null };
  readonly errors?: readonly FoundErrors[];
}

/** A build artifact that no deployment needs any more. */
export interface StaleArtifact {
  readonly server: string;
  readonly artifact: BuildArtifact;
  readonly deploymentIds: readonly string[];
}

/** An unfinished deployment without an open run. */
export interface AbandonedDeployment extends ServiceKey {
  readonly deploymentId: string;
  readonly state: DeployState;
  readonly runs: number;
  /** Person who canceled the run instead of the deployment; null when nobody did. */
  readonly cancelledBy: string | null;
  readonly traceId: string | null;
  readonly userKey: string;
  readonly chatKey: string | null;
  readonly threadId: string | null;
}

/** Maximum number of stored log lines per deployment; older lines are deleted. */
const MAX_LINES = 5_000;

/** Writes by the job that runs a deployment. Each write carries the job's epoch, and returns false once a higher epoch exists. */
export class DeploymentStore {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  find(deploymentId: string): Promise<FullDeploymentRow | null> {
    return findRow<FullDeploymentRow>(this.#pool)`${SELECT_FULL_DEPLOYMENT} where d.deployment_id = ${deploymentId}`;
  }

  /** True when a deployment with this service file has already succeeded in the project, in any environment. */
  hasServed(project: string, { file }: Pick<DeployPlan, 'file'>): Promise<boolean> {
    return hasRow(this.#pool)`
      select 1 from deployments where project = ${project} and state = 'succeeded' and plan ->> 'file' = ${file} limit 1`;
  }

  /** Claims a deployment: a queued one starts, and a running one becomes `unknown`. Null when it has ended or does not exist. */
  claim(
    deploymentId: string,
    step: Omit<TransitionDetails, 'change' | 'serving'>,
  ): Promise<{ readonly epoch: number; readonly from: DeployState } | null> {
    return withTransaction(this.#pool, (db) => claim(db, deploymentId, step));
  }

  /** Moves a deployment to its next state. False when another worker holds it, or a cancel request forbids `switching`. */
  advance(deploymentId: string, move: StateTransition, step: TransitionDetails): Promise<boolean> {
    const { from, to } = move;
    if (!DEPLOY_TRANSITIONS[from].includes(to)) throw new Error(`no deployment goes from ${from} to ${to}`);
    return withTransaction(this.#pool, (db) => advance(db, deploymentId, move, step));
  }

  async saveChange(deploymentId: string, epoch: number, change: DeploymentChange): Promise<boolean> {
    return withTransaction(this.#pool, async (db) => {
      const isOurs = await hasRow(db)`
        select 1 from deployments where deployment_id = ${deploymentId} and fence = ${epoch} for update`;
      if (!isOurs) return false;
      await write(db, deploymentId, change);
      return true;
    });
  }

  /** Reads cancellation and ownership, twice a second. `isOurs` is false once another worker has claimed the deployment. */
  async watch(
    deploymentId: string,
    epoch: number,
  ): Promise<{ readonly isOurs: boolean; readonly cancelAt: Date | null; readonly cancelBy: string | null }> {
    const row = await findRow<{ isOurs: boolean; cancelAt: Date | null; cancelBy: string | null }>(
      this.#pool,
      'deployment_watch',
    )`
      select coalesce(fence = ${epoch}, false) as "isOurs", cancel_at as "cancelAt", cancel_by as "cancelBy"
        from deployments where deployment_id = ${deploymentId}`;
    return row ?? { isOurs: false, cancelAt: null, cancelBy: null };
  }

  /** Finds the server on which a deployment would run now, without writing. Throws like `placeService`. */
  findTarget(service: ServiceKey, named: string | null): Promise<ServerAccess> {
    return findDeployServer(this.#pool, service, named);
  }

  findLastKnownState(deploymentId: string): Promise<DeployState> {
    return findValue<DeployState>(this.#pool, 'queued')`select to_state from deployment_events
        where deployment_id = ${deploymentId} and to_state <> 'unknown' order by n desc limit 1`;
  }

  /** True when the deployment has ever been in one of these states. */
  wasIn(deploymentId: string, ...states: readonly DeployState[]): Promise<boolean> {
    return hasRow(this.#pool)`select 1 from deployment_events
        where deployment_id = ${deploymentId} and to_state = any (${states}) limit 1`;
  }

  recordProgress(deploymentId: string, epoch: number): Promise<boolean> {
    return hasRow(this.#pool)`update deployments set progress_at = clock_timestamp()
        where deployment_id = ${deploymentId} and fence = ${epoch} and state not in ${FINAL_STATES}`;
  }

  /** Appends log lines after redaction, keeps the newest 5,000, and records progress. */
  addLines(deploymentId: string, epoch: number, state: DeployState, lines: readonly string[]): Promise<boolean> {
    return withTransaction(this.#pool, async (db) => {
      const isOurs = await hasRow(db)`update deployments set progress_at = clock_timestamp()
          where deployment_id = ${deploymentId} and fence = ${epoch}`;
      if (!isOurs) return false;
      const places = await listValues<number>(db)`
        insert into deployment_lines (deployment_id, n, state, line)
         select ${deploymentId}, (select coalesce(max(n), 0) from deployment_lines where deployment_id = ${deploymentId}) + k.n,
           ${state}, k.line
           from unnest(${lines.map((line) => redactText(line).replaceAll('\0', ''))}::text[]) with ordinality as k (line, n)
             returning n`;
      const last = places.at(-1) ?? 0;
      if (last > MAX_LINES)
        await db.query(sql`delete from deployment_lines where deployment_id = ${deploymentId}
            and n <= ${last - MAX_LINES}`);
      return true;
    });
  }

  /** Lists artifacts, without the newest `keep` that served, the serving and previous ones, and those of unfinished deployments. */
  listStaleArtifacts({ project, environment }: ServiceKey, keep: number): Promise<readonly StaleArtifact[]> {
    return listRows<StaleArtifact>(this.#pool)`
  with kept as (
    select d.* from deployments d where d.project = ${project} and d.environment = ${environment} and d.artifact_kept and d.artifact is not null),
  newest as (
    select artifact from kept where state = 'succeeded' group by server, artifact order by max(finished_at) desc limit ${keep}),
  needed as (
    select artifact from newest
    union select d.artifact from deployments d join services v using (project, environment)
     where d.project = ${project} and d.environment = ${environment} and d.artifact is not null
       and (d.deployment_id = v.serving or d.state not in ${FINAL_STATES}
            or d.deployment_id in (select unnest(array[o.from_artifact, o.replaces]) from deployments o
                                    where o.project = v.project and o.environment = v.environment
                                      and (o.state not in ${FINAL_STATES} or o.deployment_id = v.serving))))
  select server, artifact, array_agg(deployment_id order by deployment_id) as "deploymentIds" from kept
   where artifact not in (select artifact from needed) group by server, artifact`;
  }

  /** Records that these artifacts were removed, so that a rollback builds the release again. */
  async forgetArtifacts(deploymentIds: readonly string[]): Promise<void> {
    await this.#pool.query(sql`update deployments set artifact_kept = false
        where deployment_id = any(${deploymentIds}::text[])`);
  }

  /** Lists unfinished deployments without progress for `quietMs` whose run has ended or never started. */
  listAbandoned(quietMs: number): Promise<readonly AbandonedDeployment[]> {
    return listRows<AbandonedDeployment>(this.#pool)`
  select d.deployment_id as "deploymentId", d.project, d.environment, d.state, d.user_key as "userKey", d.thread_id as "threadId",
         coalesce(r.n, 0)::int as runs, r.trace_id as "traceId", coalesce(r.chat_key, t.chat_key) as "chatKey",
         case when d.cancel_at is null then r.cancelled_by end as "cancelledBy"
    from deployments d
    left join threads t on t.thread_id = d.thread_id
    left join lateral (
      select count(*) as n, bool_or(status in ('queued', 'running')) as open, max(trace_id) as trace_id, max(chat_key) as chat_key,
             max(coalesce(cancel_by, 'system')) filter (where status = 'cancelled') as cancelled_by
        from runs where job = 'deploy.run' and payload ->> 'deploymentId' = d.deployment_id) r on true
   where d.state not in ${FINAL_STATES} and not coalesce(r.open, false)
     and greatest(d.state_at, d.progress_at) < clock_timestamp() - ${quietMs} * interval '1 ms'
   order by d.state_at limit 20`;
  }
}

async function claim(
  db: Queryable,
  deploymentId: string,
  step: Omit<TransitionDetails, 'change' | 'serving'>,
): Promise<{ readonly epoch: number; readonly from: DeployState } | null> {
  const service = await findRow<{ epoch: number }>(db)`
    update services s set fence = s.fence + 1, updated_at = clock_timestamp() from deployments d
      where d.deployment_id = ${deploymentId} and d.project = s.project and d.environment = s.environment and d.state not in ${FINAL_STATES}
      returning s.fence::float8 as epoch`;
  if (!service) return null;
  const from = await lockState(db, deploymentId);
  // The deployment was canceled meanwhile, so nobody uses the new epoch.
  if (from === null || isFinalState(from)) return null;
  const { epoch } = service;
  const to = from === 'queued' ? 'preparing' : 'unknown';
  await db.query(sql`
    update deployments set fence = ${epoch}, state = ${to}, started_at = coalesce(started_at, clock_timestamp()),
      state_at = clock_timestamp(),
            progress_at = clock_timestamp(), deadline_at = clock_timestamp() + ${step.limitMs} * interval '1 ms'
              where deployment_id = ${deploymentId}`);
  const { actor, evidence } = step;
  if (from !== to) await addEvent(db, deploymentId, { from, to, actor, epoch, evidence });
  return { epoch, from };
}

async function advance(
  db: Queryable,
  deploymentId: string,
  move: StateTransition,
  step: TransitionDetails,
): Promise<boolean> {
  const { epoch, from, to } = move;
  const service = await findRow<ServiceKey>(db)`
    update deployments set state = ${to}, state_at = clock_timestamp(), progress_at = clock_timestamp(),
            deadline_at = clock_timestamp() + ${step.limitMs} * interval '1 ms',
            finished_at = case when ${isFinalState(to)} then clock_timestamp() else finished_at end
      where deployment_id = ${deploymentId} and fence = ${epoch} and state = ${from} and (${to} <> 'switching' or cancel_at is null)
      returning project, environment`;
  if (!service) return false;
  if (step.change) await write(db, deploymentId, step.change);
  if (step.serving)
    await db.query(sql`
      update services set serving = ${step.serving.deploymentId}, port = coalesce(${step.serving.port}, port),
        updated_at = clock_timestamp()
        where project = ${service.project} and environment = ${service.environment} and fence = ${epoch}`);
  // The first successful deployment makes a planned project active.
  if (to === 'succeeded')
    await db.query(sql`update projects set status = 'active' where name = ${service.project} and status = 'intended'`);
  if (step.errors) await addErrors(db, service, step.errors);
  const { actor, evidence } = step;
  await addEvent(db, deploymentId, { from, to, actor, epoch, evidence: redactValue(evidence) });
  return true;
}

async function write(db: Queryable, deploymentId: string, change: DeploymentChange): Promise<void> {
  // Columns have the same names as the fields, except `kept`.
  const columns: readonly (readonly [string, unknown])[] = Object.entries(change);
  for (const [field, value] of columns) {
    const column = field === 'kept' ? 'artifact_kept' : field;
    const stored = typeof value === 'object' && value !== null ? JSON.stringify(redactFailure(value)) : value;
    await db.query(`update deployments set "${column}" = $2 where deployment_id = $1`, [deploymentId, stored]);
  }
}

/** Redacts only failures: drivers need their references unchanged, and a folder name may look like a secret. */
function redactFailure(value: object): object {
  return 'sentence' in value ? redactValue(value) : value;
}
