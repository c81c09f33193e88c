import type { ChainName } from '@signalbox/contracts/repository/chains';
import type { Pool, Queryable } from '../pool.ts';
import { findRow, findValue, hasRow, listRows, readRow, sql } from '../sql.ts';

export type AgentStatus = 'running' | 'completed' | 'failed' | 'stopped';

export interface ChainRun {
  readonly runId: string;
  readonly project: string;
  readonly chain: ChainName;
  readonly ref: string;
  readonly commitId: string | null;
  readonly status: AgentStatus;
  readonly isDry: boolean;
  readonly userKey: string | null;
  readonly problem: string | null;
  readonly counts: FindingCounts | null;
  readonly startedAt: Date;
  readonly finishedAt: Date | null;
}

/** Changes of a run to the findings of its project, and the number of findings that are open afterwards. */
export interface FindingCounts {
  readonly opened: number;
  readonly reopened: number;
  readonly fixed: number;
  readonly open: number;
}

export interface AgentRun {
  readonly step: number;
  readonly agent: string;
  readonly agentClass: string;
  readonly status: AgentStatus;
  readonly output: unknown;
  readonly problem: string | null;
  readonly begun: number;
  readonly startedAt: Date;
  readonly finishedAt: Date | null;
}

/** A document that a step of a run has written. */
export interface RunDocument {
  readonly path: string;
  readonly mimeType: string;
  readonly bytes: Buffer;
}

const RUN = sql`run_id as "runId", project, chain, ref, commit_id as "commitId", status, is_dry as "isDry", user_key as "userKey",
  problem, counts, started_at as "startedAt", finished_at as "finishedAt"`;

/** Creates access to runs of chains and their steps. An interrupted run continues at its current step. */
export function createChainRunStore(pool: Pool) {
  return {
    /** Starts a run, or finds the run when it has already started. */
    async begin(run: Pick<ChainRun, 'runId' | 'project' | 'chain' | 'ref' | 'isDry' | 'userKey'>): Promise<ChainRun> {
      await pool.query(sql`
        insert into repository_runs (run_id, project, chain, ref, is_dry, user_key)
          values (${run.runId}, ${run.project}, ${run.chain}, ${run.ref}, ${run.isDry}, ${run.userKey}) on conflict (run_id) do nothing`);
      return readRun(pool, run.runId);
    },

    find: (runId: string): Promise<ChainRun | null> =>
      findRow<ChainRun>(pool)`select ${RUN} from repository_runs where run_id = ${runId}`,

    /** Sets the commit of a run and returns it. A second call returns the first commit. */
    async fix(runId: string, commitId: string): Promise<string> {
      const row = await findRow<{ commitId: string }>(pool)`
        update repository_runs set commit_id = coalesce(commit_id, ${commitId}) where run_id = ${runId} returning commit_id as "commitId"`;
      return row?.commitId ?? commitId;
    },

    list: (project: string, limit: number): Promise<readonly ChainRun[]> =>
      listRows<ChainRun>(pool)`
        select ${RUN} from repository_runs where project = ${project} order by started_at desc limit ${limit}`,

    steps: (runId: string): Promise<readonly AgentRun[]> =>
      listRows<AgentRun>(pool)`
        select step, agent, agent_class as "agentClass", status, output, problem, begun, started_at as "startedAt", finished_at as "finishedAt"
          from repository_agent_runs where run_id = ${runId} order by step`,

    /** Starts or restarts a step. Returns the number of the attempt, or 0 when the step has ended. */
    beginStep: (runId: string, step: Pick<AgentRun, 'step' | 'agent' | 'agentClass'>): Promise<number> =>
      findValue<number>(pool, 0)`
        insert into repository_agent_runs as s (run_id, step, agent, agent_class) values (${runId}, ${step.step}, ${step.agent}, ${step.agentClass})
          on conflict (run_id, step) do update set begun = s.begun + 1, started_at = clock_timestamp() where s.status = 'running'
          returning begun`,

    /** Ends a step in the transaction that stores its results; false when it had already ended. */
    endStep: (
      db: Queryable,
      { runId, step }: { readonly runId: string; readonly step: number },
      end: {
        readonly status: Exclude<AgentStatus, 'running'>;
        readonly output: unknown;
        readonly problem: string | null;
      },
    ): Promise<boolean> =>
      hasRow(db)`
        update repository_agent_runs
           set status = ${end.status}, output = ${JSON.stringify(end.output ?? null)}::jsonb, problem = ${end.problem}, finished_at = clock_timestamp()
         where run_id = ${runId} and step = ${step} and status = 'running'`,

    /** Ends a run and returns it. A second call does not change how the run ended. */
    async end(
      runId: string,
      end: {
        readonly status: Exclude<AgentStatus, 'running'>;
        readonly problem: string | null;
        readonly counts: FindingCounts | null;
      },
    ): Promise<ChainRun> {
      await pool.query(sql`
        update repository_runs set status = ${end.status}, problem = ${end.problem}, counts = ${JSON.stringify(end.counts)}::jsonb,
               finished_at = clock_timestamp() where run_id = ${runId} and status = 'running'`);
      return readRun(pool, runId);
    },

    documents: (runId: string): Promise<readonly RunDocument[]> =>
      listRows<RunDocument>(pool)`
        select path, mime_type as "mimeType", bytes from repository_artifacts where run_id = ${runId} order by path`,

    /** Finds the previous completed run of a chain on this project; null for the first run. */
    before: (run: Pick<ChainRun, 'project' | 'chain' | 'startedAt'>): Promise<ChainRun | null> =>
      findRow<ChainRun>(pool)`
        select ${RUN} from repository_runs
         where project = ${run.project} and chain = ${run.chain} and status = 'completed' and not is_dry and finished_at <= ${run.startedAt}
         order by finished_at desc limit 1`,
  };
}

function readRun(db: Queryable, runId: string): Promise<ChainRun> {
  return readRow<ChainRun>(db)`select ${RUN} from repository_runs where run_id = ${runId}`;
}
