import { appendAudit } from '@signalbox/store/audit/audit';
import { addNote } from '@signalbox/store/deploy/deployments';
import type { ProgramInstance } from '@signalbox/contracts/operations/drivers';
import { FINAL_STATES } from '@signalbox/store/deploy/deployments-rows';
import { withTransaction, type Pool, type Queryable } from '@signalbox/store/pool';
import { formatIncidentSubject } from '@signalbox/store/deploy/service-health';
import { findCrashStop } from './crash-stops.ts';
import { lockService, takeEpoch, type ServingDeployment } from './serving.ts';
import { findRow, findValue, hasRow, sql } from '@signalbox/store/sql';

export interface RevivalPlan {
  readonly isOpen: boolean;
  /** Run id of the revival. The id changes after each successful revival. */
  readonly runId: string;
}

export interface RevivalEnd {
  readonly runId: string;
  readonly epoch: number;
  readonly outcome: 'revived' | 'given-up';
  readonly evidence: Readonly<Record<string, string | number | null>>;
}

/** The service is given up after this many losses in a day. */
const MAX_LOSSES_A_DAY = 5;
const JOB = 'service.revive';

/** Stores attempts to restart lost services. Each attempt takes an epoch, so that a later deployment or stop supersedes it. */
export function createServiceRevivals(pool: Pool) {
  return {
    /** Plans the run that restarts a service. Null while a deployment is in progress or after a crash stop. */
    plan: (serving: ServingDeployment): Promise<RevivalPlan | null> => plan(pool, serving),

    /** True while a revival is queued or running. */
    async isOpen({ deploymentId }: ServingDeployment): Promise<boolean> {
      return hasRow(pool)`select 1 from runs where job = ${JOB}
          and status in ('queued', 'running') and payload ->> 'deploymentId' = ${deploymentId} limit 1`;
    },

    /** Takes an epoch and records an event. Null when the deployment no longer serves, or a newer deployment is in progress. */
    begin: (
      serving: ServingDeployment,
      evidence: Readonly<Record<string, string | number>>,
    ): Promise<{ readonly epoch: number; readonly isTooOften: boolean } | null> =>
      withTransaction(pool, (db) => begin(db, serving, evidence)),

    /** Runs `work`, for seconds, while the service's row is locked; stores the resulting instance. Null when a higher epoch exists. */
    within: <T extends ProgramInstance | null>(
      serving: ServingDeployment,
      epoch: number,
      work: () => Promise<T>,
    ): Promise<{ readonly made: T } | null> =>
      withTransaction(pool, async (db) => {
        if (!(await isOurs(db, serving, epoch))) return null;
        const made = await work();
        if (made !== null)
          await db.query(sql`update deployments set instance = ${JSON.stringify(made)}::jsonb, port = ${made.port}
              where deployment_id = ${serving.deploymentId} and instance is distinct from ${JSON.stringify(made)}::jsonb`);
        return { made };
      }),

    /** Records the end of a revival; giving up opens an incident. Idempotent per run. False when a higher epoch exists. */
    end: (serving: ServingDeployment, end: RevivalEnd): Promise<boolean> =>
      withTransaction(pool, (db) => finish(db, serving, end)),
  };
}

export type ServiceRevivals = ReturnType<typeof createServiceRevivals>;

async function plan(
  db: Queryable,
  { deploymentId, project, environment }: ServingDeployment,
): Promise<RevivalPlan | null> {
  const row = await findRow<{ open: number; settled: number; moving: boolean }>(db)`
    select count(*) filter (where r.status in ('queued', 'running'))::int as open,
            count(*) filter (where r.status = 'done' and r.result ->> 'outcome' <> 'given-up')::int as settled,
            exists (select 1 from deployments d where d.project = ${project} and d.environment = ${environment}
              and d.state not in ${FINAL_STATES}) as moving
       from runs r where r.job = ${JOB} and r.payload ->> 'deploymentId' = ${deploymentId}`;
  if (!row || row.moving || (await findCrashStop(db, deploymentId))) return null;
  return { isOpen: row.open > 0, runId: `${deploymentId}:revive:${row.settled + 1}` };
}

async function begin(
  db: Queryable,
  serving: ServingDeployment,
  evidence: Readonly<Record<string, string | number>>,
): Promise<{ readonly epoch: number; readonly isTooOften: boolean } | null> {
  const { deploymentId } = serving;
  // Losses are counted under the lock, so that attempts do not race.
  if (!(await lockService(db, serving)) || (await findCrashStop(db, deploymentId))) return null;
  const epoch = await takeEpoch(db, serving);
  if (epoch === null) return null;
  const losses = await findValue(db, 0)`select count(*)::int from deployment_events
      where deployment_id = ${deploymentId} and evidence ? 'revived' and at > clock_timestamp() - interval '1 day'`;
  await addNote(db, deploymentId, { actor: 'system', epoch, evidence });
  return { epoch, isTooOften: losses >= MAX_LOSSES_A_DAY };
}

async function isOurs(
  db: Queryable,
  { deploymentId, project, environment }: ServingDeployment,
  epoch: number,
): Promise<boolean> {
  return hasRow(db)`select 1 from services where project = ${project}
      and environment = ${environment} and serving = ${deploymentId} and fence = ${epoch} for update`;
}

async function finish(db: Queryable, serving: ServingDeployment, end: RevivalEnd): Promise<boolean> {
  const { deploymentId, project, environment } = serving;
  const { runId, epoch, outcome, evidence } = end;
  if (!(await isOurs(db, serving, epoch))) return false;
  const key = outcome === 'revived' ? 'revived' : 'givenUp';
  const isWritten = await hasRow(db)`
    select 1 from deployment_events where deployment_id = ${deploymentId} and evidence ->> ${key} = ${runId}`;
  if (isWritten) return true;
  await addNote(db, deploymentId, { actor: 'system', epoch, evidence: { [key]: runId, ...evidence } });
  const data = { project, environment, deploymentId, run: runId, ...evidence };
  const kind = outcome === 'revived' ? 'service.revived' : 'service.given_up';
  await appendAudit(db, [{ kind, actor: 'system', actionId: deploymentId, data }]);
  // The end of the run notifies the person who deployed, unless the service is muted.
  await db.query(sql`
    update runs r set user_key = a.user_key, chat_key = a.chat_key, thread_id = a.thread_id from runs a, services v
      where r.run_id = ${runId} and a.run_id = ${deploymentId} and a.chat_key is not null and v.project = ${project}
        and v.environment = ${environment}
        and (v.muted_until is null or v.muted_until < clock_timestamp())`);
  if (outcome === 'given-up')
    // The run notifies people of this incident, so later probes do not. When nobody can be notified, probes try again.
    await db.query(sql`insert into incidents (subject, kind, detail, evidence, told, told_chat, told_at)
       select ${formatIncidentSubject(serving)}, 'exited', ${String(evidence.because ?? '')}, ${JSON.stringify({ deploymentId })}::jsonb,
         r.user_key, r.chat_key, clock_timestamp() from runs r
        where r.run_id = ${runId} and r.chat_key is not null
          and not exists (select 1 from incidents i where i.subject = ${formatIncidentSubject(serving)} and i.closed_at is null)
       on conflict (subject, kind) where closed_at is null do nothing`);
  return true;
}
