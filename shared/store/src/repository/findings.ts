import type { AuditEvent, AuditKind } from '@signalbox/contracts/governance/audit';
import { AppError } from '@signalbox/contracts/errors';
import { SEVERITIES, type RawFinding } from '@signalbox/contracts/repository/finding';
import { appendAudit } from '../audit/audit.ts';
import { makeStorable } from '@signalbox/contracts/storable';
import { withTransaction, type Pool, type Queryable } from '../pool.ts';
import { findRow, findValue, hasRow, listRows, readRow, sql, type Sql } from '../sql.ts';
import type { FindingCounts } from './chain-runs.ts';

/** A finding in a project. When its acceptance has expired, it counts as open. */
export interface Finding extends Omit<RawFinding, 'identity'> {
  readonly findingId: string;
  readonly project: string;
  readonly fingerprint: string;
  readonly analyzer: string;
  readonly status: 'open' | 'accepted' | 'fixed';
  readonly timesReopened: number;
  readonly firstRun: string;
  readonly firstCommit: string;
  readonly firstSeenAt: Date;
  readonly changedAt: Date;
  readonly acceptedBy: string | null;
  readonly acceptedReason: string | null;
  readonly acceptedUntil: Date | null;
}

/** Filter of findings; a missing field matches every finding. */
export interface FindingFilter {
  readonly project: string;
  readonly status?: 'open' | 'accepted' | 'fixed' | undefined;
  readonly analyzers?: readonly string[] | undefined;
  readonly from?: (typeof SEVERITIES)[number] | undefined;
}

const isOpen = sql`(status = 'open' or status = 'accepted' and accepted_until < now())`;
const COLUMNS = sql`finding_id::text as "findingId", project, fingerprint, analyzer, rule, severity as rank, path, line, evidence, "values",
  case when ${isOpen} then 'open' else status end as status, times_reopened as "timesReopened", first_run as "firstRun",
  first_commit as "firstCommit", first_seen_at as "firstSeenAt", changed_at as "changedAt", accepted_by as "acceptedBy",
  accepted_reason as "acceptedReason", accepted_until as "acceptedUntil"`;
type Row = Omit<Finding, 'severity'> & { readonly rank: number };

/** Creates access to the findings of projects. */
export function createFindingStore(pool: Pool) {
  return {
    /** Lists findings, most severe first. */
    list: async (filter: FindingFilter, limit: number): Promise<readonly Finding[]> => {
      const { project, status, analyzers = null, from = 'info' } = filter;
      // Each part of the union has an index of its own, in the order of the list.
      const part = (isWanted: Sql): Sql => sql`(
        select ${COLUMNS} from repository_findings
         where project = ${project} and ${isWanted} and severity >= ${rankOf(from)}
         order by severity desc, finding_id limit ${limit})`;
      const isOfThese = sql`(analyzer = any (${analyzers}) or ${analyzers}::text[] is null)`;
      const ofEach = sql`
        select f.* from unnest(${[...new Set(analyzers)]}::text[]) as wanted (name), lateral ${part(sql`analyzer = wanted.name and status = 'open'`)} f`;
      const ranOut = part(sql`status = 'accepted' and accepted_until < now() and ${isOfThese}`);
      const open = sql`${analyzers === null ? part(sql`status = 'open'`) : ofEach} union all ${ranOut}`;
      const accepted = part(
        sql`status = 'accepted' and (accepted_until is null or accepted_until >= now()) and ${isOfThese}`,
      );
      const fixed = part(sql`status = 'fixed' and ${isOfThese}`);
      const wanted = { open, accepted, fixed };
      const rows = await listRows<Row>(pool)`
        select * from (${status === undefined ? sql`${open} union all ${accepted} union all ${fixed}` : wanted[status]}) f
         order by rank desc, "findingId"::bigint limit ${limit}`;
      return rows.map(toFinding);
    },

    /** Returns a finding. Throws NOT_FOUND. */
    get: async (project: string, findingId: string): Promise<Finding> => findWithin(pool, project, findingId),

    count: ({ project, analyzers }: Pick<FindingFilter, 'project' | 'analyzers'>): Promise<number> =>
      findValue<number>(pool, 0)`select ${countOpen(project, analyzers)}`,

    /** Counts the changes by a run, and the findings that are open now. Stable until another run changes the findings. */
    changedBy: (project: string, runId: string): Promise<FindingCounts> =>
      readRow<{ opened: number; reopened: number; fixed: number; open: number }>(pool)`
        with changed as (
          select * from repository_findings where project = ${project} and changed_run = ${runId})
        select (select count(*)::int from changed where status = 'open' and first_run = ${runId}) as opened,
               (select count(*)::int from changed where status = 'open' and first_run <> ${runId}) as reopened,
               (select count(*)::int from changed where status = 'fixed') as fixed,
               ${countOpen(project)} as open`,

    /** Accepts a finding until a time. Idempotent by action. Throws NOT_FOUND, FINDING_FIXED. */
    accept: (decision: FindingDecision & { readonly until: Date | null }): Promise<Finding> =>
      decide(pool, 'accept', decision, async (db, { status }) => {
        if (status === 'fixed') throw new AppError('FINDING_FIXED', { finding: decision.findingId });
        await db.query(sql`
          update repository_findings set status = 'accepted', accepted_by = ${decision.userKey}, accepted_reason = ${makeStorable(decision.reason)},
                 accepted_until = ${decision.until}, changed_run = ${decision.actionId}, changed_at = clock_timestamp()
           where project = ${decision.project} and finding_id = ${decision.findingId}`);
      }),

    /** Reopens an accepted finding. Idempotent. Throws NOT_FOUND. */
    reopen: (decision: FindingDecision): Promise<Finding> =>
      decide(pool, 'reopen', { ...decision, until: null }, async (db) => {
        await db.query(sql`
          update repository_findings set status = 'open', accepted_by = null, accepted_reason = null, accepted_until = null,
                 changed_run = ${decision.actionId}, changed_at = clock_timestamp()
           where project = ${decision.project} and finding_id = ${decision.findingId} and status = 'accepted'`);
      }),
  };
}

export interface FindingDecision {
  readonly project: string;
  readonly findingId: string;
  readonly reason: string;
  readonly userKey: string;
  readonly actionId: string;
  /** Id of the conversation; null at the command line. */
  readonly threadId: string | null;
}

/** All findings by these analyzers in the commit of a run. */
export interface ScanOutcome {
  readonly project: string;
  readonly runId: string;
  readonly commit: string;
  readonly analyzers: readonly string[];
  /** Each finding has the fingerprint by which the next scan recognizes it. */
  readonly found: readonly (Omit<RawFinding, 'identity'> & { readonly fingerprint: string })[];
}

/**
 * Updates the findings of a project after a scan, in the caller's transaction: opens new findings, reopens returned ones, and marks
 * missing ones as fixed. Idempotent. Scans of one project run one after the other.
 */
export async function reconcileFindings(db: Queryable, scan: ScanOutcome): Promise<void> {
  const { project, runId, commit, analyzers } = scan;
  await db.query(sql`select pg_advisory_xact_lock(hashtextextended(${`findings:${project}`}, 0))`);
  const found = new Map(scan.found.map((one) => [one.fingerprint, one]));
  const rows = [...found].map(([fingerprint, one]) => ({
    ...makeStorable({ rule: one.rule, path: one.path, line: one.line, evidence: one.evidence, values: one.values }),
    fingerprint,
    analyzer: one.rule.split('/')[0],
    severity: rankOf(one.severity),
  }));
  await db.query(sql`
    with found as (
      select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        as f (fingerprint text, analyzer text, rule text, severity smallint, path text, line int, evidence text, "values" jsonb)),
    gone as (
      update repository_findings k
         set status = 'fixed', accepted_by = null, accepted_reason = null, accepted_until = null, changed_run = ${runId}, changed_at = clock_timestamp()
       where k.project = ${project} and k.analyzer = any (${analyzers}) and k.status <> 'fixed'
         and not exists (select from found f where f.fingerprint = k.fingerprint)),
    back as (
      update repository_findings k
         set status = 'open', accepted_by = null, accepted_reason = null, accepted_until = null, line = f.line, evidence = f.evidence,
             "values" = f."values", severity = f.severity, times_reopened = times_reopened + 1, changed_run = ${runId}, changed_at = clock_timestamp()
        from found f
       where k.project = ${project} and k.fingerprint = f.fingerprint
         and (k.status = 'fixed' or k.status = 'accepted' and k.accepted_until < now())),
    moved as (
      update repository_findings k set line = f.line, evidence = f.evidence, "values" = f."values", severity = f.severity
        from found f
       where k.project = ${project} and k.fingerprint = f.fingerprint
         and (k.status = 'open' or k.status = 'accepted' and (k.accepted_until is null or k.accepted_until >= now()))
         and (k.line, k.evidence, k."values", k.severity) is distinct from (f.line, f.evidence, f."values", f.severity))
    insert into repository_findings
        (project, fingerprint, analyzer, rule, severity, path, line, evidence, "values", first_run, first_commit, changed_run)
      select ${project}, f.fingerprint, f.analyzer, f.rule, f.severity, f.path, f.line, f.evidence, f."values", ${runId}, ${commit}, ${runId}
        from found f
       -- A conflict would use up a number, and people say these numbers.
       where not exists (select from repository_findings k where k.project = ${project} and k.fingerprint = f.fingerprint)
      on conflict (project, fingerprint) do nothing`);
}

/** Records a person's decision about a finding, a baseline, a snapshot or a tag. */
export async function recordDecision(
  db: Queryable,
  kind: 'accept' | 'reopen' | 'baseline' | 'snapshot' | 'restore' | 'tag' | 'untag',
  decision: Omit<FindingDecision, 'findingId'> & {
    readonly findingId?: string;
    readonly about?: string;
    readonly until: Date | null;
  },
): Promise<void> {
  const { actionId, project, findingId, about = findingId, reason, until, userKey } = decision;
  await db.query(sql`
    insert into repository_decisions (action_id, project, kind, about, reason, until, user_key)
      values (${actionId}, ${project}, ${kind}, ${about}, ${makeStorable(reason)}, ${until}, ${userKey}) on conflict do nothing`);
}

function decide(
  pool: Pool,
  kind: 'accept' | 'reopen',
  decision: FindingDecision & { readonly until: Date | null },
  change: (db: Queryable, finding: Finding) => Promise<void>,
): Promise<Finding> {
  return withTransaction(pool, async (db) => {
    const { project, findingId, actionId, reason, until } = decision;
    const finding = await findWithin(db, project, findingId, true);
    if (await hasRow(db)`select from repository_decisions where action_id = ${actionId} and about = ${findingId}`)
      return finding;
    await change(db, finding);
    await recordDecision(db, kind, decision);
    const { rule, path, fingerprint } = finding;
    const data = { project, finding: findingId, rule, path, fingerprint, reason, until: until?.toISOString() ?? null };
    await auditDecision(db, kind === 'accept' ? 'finding.accepted' : 'finding.reopened', decision, data);
    return findWithin(db, project, findingId);
  });
}

/** Records a decision in the audit. A decision at the command line has no conversation, and its event no action id. */
export function auditDecision(
  db: Queryable,
  kind: AuditKind,
  { userKey, actionId, threadId }: Pick<FindingDecision, 'userKey' | 'actionId' | 'threadId'>,
  data: AuditEvent['data'],
): Promise<void> {
  return appendAudit(db, [{ kind, actor: userKey, threadId, actionId: threadId === null ? null : actionId, data }]);
}

async function findWithin(db: Queryable, project: string, findingId: string, isLocked = false): Promise<Finding> {
  const lock = isLocked ? sql`for update` : sql``;
  const id = /^\d{1,18}$/.test(findingId) ? findingId : null;
  const row = await findRow<Row>(db)`
    select ${COLUMNS} from repository_findings where project = ${project} and finding_id = ${id}::bigint ${lock}`;
  if (row) return toFinding(row);
  const known = await findValue<number>(db, 0)`select ${countOpen(project)}`;
  throw new AppError('NOT_FOUND', { kind: 'finding', name: findingId, known: `${known} open ones` });
}

/** Counts open findings: the stored count, plus findings whose acceptance has expired. */
function countOpen(project: string, analyzers: readonly string[] | null = null): Sql {
  const isOfThese = sql`project = ${project} and (analyzer = any (${analyzers}) or ${analyzers}::text[] is null)`;
  return sql`(
    (select coalesce(sum(open), 0) from repository_finding_counts where ${isOfThese})
    + (select count(*) from repository_findings where ${isOfThese} and status = 'accepted' and accepted_until < now()))::int`;
}

function toFinding({ rank, ...row }: Row): Finding {
  return { ...row, severity: SEVERITIES[rank] ?? 'info' };
}

function rankOf(severity: RawFinding['severity']): number {
  return SEVERITIES.indexOf(severity);
}
