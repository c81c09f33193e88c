import { createHash } from 'node:crypto';
import {
  ProposedDiff,
  type ChangeNode,
  type ChangeSource,
  type ChangeState,
  type PublishResult,
} from '@signalbox/contracts/engineering/change';
import { AppError } from '@signalbox/contracts/errors';
import { makeStorable } from '@signalbox/contracts/storable';
import { redactValue } from '@signalbox/safety/redact/redact';
import { noteEffect } from '../effects.ts';
import { withTransaction, type Pool, type Queryable } from '../pool.ts';
import { findRow, findValue, hasRow, listRows, readRow, sql } from '../sql.ts';

export interface CodeChange {
  readonly changeId: number;
  readonly project: string;
  readonly source: ChangeSource;
  readonly userKey: string;
  readonly threadId: string | null;
  /** The newest job that works on it. */
  readonly runId: string;
  readonly state: ChangeState;
  readonly baseCommit: string | null;
  readonly question: string | null;
  readonly proposal: ProposedDiff | null;
  readonly outcome: PublishResult | null;
  readonly problem: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A saved step. A step is written once; a repeated attempt of its job reads it instead of doing it again. */
export interface ChangeStep {
  readonly n: number;
  readonly node: ChangeNode;
  readonly kind: string;
  readonly content: unknown;
  /** SHA-256 of the stored content. */
  readonly hash: string;
  readonly model: string | null;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costUsd: number | null;
  readonly at: Date;
}

export type NewChangeStep = Pick<ChangeStep, 'n' | 'node' | 'kind' | 'content'> &
  Partial<Pick<ChangeStep, 'model' | 'inputTokens' | 'outputTokens' | 'costUsd'>>;

const COLUMNS = sql`change_id::int as "changeId", project, source, user_key as "userKey", thread_id as "threadId", run_id as "runId", state,
  base_commit as "baseCommit", question, proposal, outcome, problem, created_at as "createdAt", updated_at as "updatedAt"`;

/** Creates access to changes of code and their steps. */
export function createChangeStore(pool: Pool) {
  return {
    /** Begins a change as the effect of an action. Idempotent by the action's id. */
    async begin(
      change: Pick<CodeChange, 'project' | 'source' | 'userKey' | 'threadId'> & { readonly actionId: string },
    ): Promise<CodeChange> {
      const { actionId, project, source, userKey, threadId } = change;
      await pool.query(sql`
        insert into engineering_changes (action_id, project, source, user_key, thread_id, run_id)
          values (${actionId}, ${project}, ${JSON.stringify(redactValue(source))}::jsonb, ${userKey}, ${threadId}, ${actionId})
          on conflict (action_id) do nothing`);
      return readRow<CodeChange>(pool)`select ${COLUMNS} from engineering_changes where action_id = ${actionId}`;
    },

    find: (changeId: number): Promise<CodeChange | null> => findChange(pool, changeId),

    /** The change of a job; null for other jobs. */
    findByRun: (runId: string): Promise<CodeChange | null> =>
      findRow<CodeChange>(pool)`select ${COLUMNS} from engineering_changes where run_id = ${runId}`,

    /** The named change, else the newest of the person. Throws NOT_FOUND. */
    get: (changeId: number | null, userKey: string): Promise<CodeChange> => getChange(pool, changeId, userKey),

    /** The change that waits for this person's answer in this conversation, the newest first; null when none does. */
    findAsking: (userKey: string, threadId: string): Promise<CodeChange | null> =>
      findRow<CodeChange>(pool)`
        select ${COLUMNS} from engineering_changes
          where user_key = ${userKey} and thread_id = ${threadId} and state = 'asking' order by change_id desc limit 1`,

    list: (filter: { readonly project?: string }, limit: number): Promise<readonly CodeChange[]> =>
      listRows<CodeChange>(pool)`
        select ${COLUMNS} from engineering_changes
          where ${filter.project ?? null}::text is null or project = ${filter.project ?? null} order by change_id desc limit ${limit}`,

    steps: (changeId: number): Promise<readonly ChangeStep[]> =>
      listRows<ChangeStep>(pool)`
        select n, node, kind, content, hash, model, input_tokens as "inputTokens", output_tokens as "outputTokens", cost_usd as "costUsd", at
          from engineering_steps where change_id = ${changeId} order by n`,

    /** Saves a step without secrets. False when another attempt has saved a step of this number. */
    addStep: (changeId: number, step: NewChangeStep): Promise<boolean> => addChangeStep(pool, changeId, step),

    /** Fixes the commit that the diff is of; a second call returns the first commit. */
    async fixBase(changeId: number, commit: string): Promise<string> {
      const row = await findRow<{ baseCommit: string }>(pool)`
        update engineering_changes set base_commit = coalesce(base_commit, ${commit}), updated_at = clock_timestamp()
          where change_id = ${changeId} returning base_commit as "baseCommit"`;
      return row?.baseCommit ?? commit;
    },

    /** Moves a change that is worked on. False when it has ended meanwhile, such as by /stop. */
    settle(
      changeId: number,
      to:
        | { readonly state: 'asking'; readonly question: string }
        | { readonly state: 'proposed'; readonly proposal: ProposedDiff }
        | { readonly state: 'failed' | 'stopped'; readonly problem: string },
    ): Promise<boolean> {
      const [question, problem] = ['question' in to ? to.question : null, 'problem' in to ? to.problem : null];
      const proposal = 'proposal' in to ? JSON.stringify(makeStorable(ProposedDiff.parse(to.proposal))) : null;
      return hasRow(pool)`
        update engineering_changes set state = ${to.state}, question = ${question}, problem = ${problem},
            proposal = coalesce(${proposal}::jsonb, proposal), updated_at = clock_timestamp()
          where change_id = ${changeId} and state in ('working', 'asking')`;
    },

    /** Gives the person's answer to the open question as the next step, and lets `runId` go on. Idempotent by the run; false without one. */
    answer(changeId: number, { text, runId }: { readonly text: string; readonly runId: string }): Promise<boolean> {
      return withTransaction(pool, async (db) => {
        const isMoved = await hasRow(db)`
          update engineering_changes set state = 'working', run_id = ${runId}, question = null, updated_at = clock_timestamp()
            where change_id = ${changeId} and state = 'asking'`;
        if (!isMoved)
          return hasRow(db)`select from engineering_changes where change_id = ${changeId} and run_id = ${runId}`;
        const n = await findValue(db, 0)`select max(n) from engineering_steps where change_id = ${changeId}`;
        await addChangeStep(db, changeId, { n: n + 1, node: 'person', kind: 'answer', content: { text } });
        await noteEffect(db, runId);
        return true;
      });
    },

    /** What the person wrote in the turn that asked for a change, on one line; null when they typed nothing. */
    words: (of: { readonly actionId: string } | { readonly changeId: number }): Promise<string | null> =>
      findAskedWords(pool, of),

    /** Names of those who approved the action that a job works for, in order. */
    listApprovers: async (runId: string): Promise<readonly string[]> =>
      (
        await listRows<{ name: string }>(pool)`
        select v.name from approval_votes v join approvals p using (approval_id)
          where p.action_id = ${runId} order by v.voted_at, v.user_key`
      ).map(({ name }) => name),

    nameRequester: (userKey: string): Promise<string | null> =>
      findValue<string | null>(pool, null)`select name from users where user_key = ${userKey}`,

    /** Notes the branch and the pull request of a change, once. */
    publish(changeId: number, outcome: PublishResult): Promise<boolean> {
      return hasRow(pool)`
        update engineering_changes set state = 'opened', outcome = ${JSON.stringify(outcome)}::jsonb, updated_at = clock_timestamp()
          where change_id = ${changeId} and state in ('proposed', 'opened')`;
    },
  };
}

export type ChangeStore = ReturnType<typeof createChangeStore>;

/** Ends a person's changes that go on, on /stop: their jobs notice it within a second. Returns how many. */
export async function stopChanges(db: Queryable, userKey: string, problem: string): Promise<number> {
  const rows = await listRows<{ runId: string }>(db)`
    update engineering_changes set state = 'stopped', problem = ${problem}, updated_at = clock_timestamp()
      where user_key = ${userKey} and state in ('working', 'asking') returning run_id as "runId"`;
  await db.query(sql`update runs set cancel_at = clock_timestamp(), cancel_by = ${userKey},
        status = case when status = 'queued' then 'cancelled' else status end,
        finished_at = case when status = 'queued' then clock_timestamp() end
      where run_id = any (${rows.map(({ runId }) => runId)}::text[]) and status in ('queued', 'running') and cancel_at is null`);
  return rows.length;
}

/** SHA-256 of what a person approves: the diff, and the commit that it is of. */
export function hashDiff(baseCommit: string, diff: string): string {
  return createHash('sha256').update(`${baseCommit}\n${diff}`).digest('hex');
}

function findAskedWords(
  db: Queryable,
  of: { readonly actionId: string } | { readonly changeId: number },
): Promise<string | null> {
  const [actionId, changeId] = 'actionId' in of ? [of.actionId, null] : [null, of.changeId];
  return findValue<string | null>(db, null)`
    with first as (
      select i.id, i.user_key, i.chat_key, i.turn_id, i.outcome from actions a
         join inbox i on i.user_key = a.user_key and i.envelope ->> 'id' = a.turn_key
        where a.action_id = coalesce(${actionId}::text, (select action_id from engineering_changes where change_id = ${changeId}::bigint)))
    select nullif(btrim(regexp_replace(string_agg(i.envelope ->> 'text', ' · ' order by i.id), '\\s+', ' ', 'g')), '')
      from inbox i join first f using (user_key, chat_key)
     where i.kind = 'message' and i.envelope ->> 'borrowed' is null
       and (i.id = f.id or i.turn_id = f.turn_id
            or (f.outcome is null and i.outcome is null and i.id > f.id
                and i.id <= (select taken_to from lanes where user_key = f.user_key)))`;
}

function findChange(db: Queryable, changeId: number): Promise<CodeChange | null> {
  return findRow<CodeChange>(db)`select ${COLUMNS} from engineering_changes where change_id = ${changeId}`;
}

function addChangeStep(db: Queryable, changeId: number, step: NewChangeStep): Promise<boolean> {
  const { n, node, kind, model = null, inputTokens = 0, outputTokens = 0, costUsd = null } = step;
  const content = JSON.stringify(makeStorable(redactValue(step.content)));
  const hash = createHash('sha256').update(content).digest('hex');
  return hasRow(db)`
    insert into engineering_steps (change_id, n, node, kind, content, hash, model, input_tokens, output_tokens, cost_usd)
      values (${changeId}, ${n}, ${node}, ${kind}, ${content}::jsonb, ${hash}, ${model}, ${inputTokens}, ${outputTokens}, ${costUsd})
      on conflict do nothing`;
}

async function getChange(pool: Pool, changeId: number | null, userKey: string): Promise<CodeChange> {
  const found =
    changeId === null
      ? await findRow<CodeChange>(pool)`
              select ${COLUMNS} from engineering_changes where user_key = ${userKey} order by change_id desc limit 1`
      : await findChange(pool, changeId);
  if (found) return found;
  const known = await listRows<{ changeId: number }>(pool)`
        select change_id::int as "changeId" from engineering_changes order by change_id desc limit 10`;
  const names = known.map((one) => String(one.changeId)).join(', ') || 'none';
  throw new AppError('NOT_FOUND', {
    kind: 'change',
    name: changeId === null ? 'newest' : String(changeId),
    known: names,
  });
}
