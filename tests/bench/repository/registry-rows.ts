import type { Pool } from '@signalbox/store/pool';

/** Projects that others have. */
const OTHERS = 100;
/** What the chain of the bench does not look for: a scan would close it. */
const OPEN_ANALYZERS = `array['secrets', 'risk', 'licences', 'dependencies', 'advisories']`;
const ANALYZERS = `array['code', 'duplicates', 'hot-spots', 'health', 'documentation', 'secrets', 'risk', 'licences', 'dependencies', 'advisories']`;

export const OF_OTHERS = `'other-' || n % ${OTHERS}`;

/** Adds projects of others. */
export async function addOthers(db: Pool): Promise<void> {
  await db.query(
    `insert into projects (name, description, owner, action_id) select 'other-' || n, '', '1', 'act_other_' || n from generate_series(0, $1::int - 1) n`,
    [OTHERS],
  );
}

/** As many rows as a statement makes below the time-out of statements on a slow disk. */
const CHUNK = 100_000;

/**
 * Adds findings of projects from one number to another: of ten seven are fixed, two accepted (some for a time), one open. Quickly: indexes
 * and counts are made afterwards.
 */
export async function addFindings(db: Pool, project: string, from: number, to: number): Promise<void> {
  const { rows: indexes } = await db.query<{ name: string; made: string }>(
    `select indexname as name, indexdef as made from pg_indexes where tablename = 'repository_findings' and indexname like 'repository_findings\\_%'
        and indexname not in (select conname from pg_constraint)`,
  );
  for (const { name } of indexes) await db.query(`drop index ${name}`);
  const connection = await db.connect();
  try {
    await connection.query('set session_replication_role = replica');
    for (let n = from; n <= to; n += CHUNK)
      await connection.query(
        `insert into repository_findings (project, fingerprint, analyzer, rule, severity, path, line, evidence, "values", status, first_run,
           first_commit, changed_run, accepted_by, accepted_reason, accepted_until)
         select ${project}, md5(n::text), a, a || '/rule-' || n % 20, n % 5, 'src/part' || n % 977 || '/file' || n % 4999 || '.ts', n % 900,
           'evidence ' || n, jsonb_build_object('n', n), s, 'run-' || n % 10000, 'c', 'run-' || n % 9973,
           case when s = 'accepted' then '1' end, case when s = 'accepted' then 'known' end,
           case when s = 'accepted' and n % 3 = 0 then now() + n % 365 * interval '1 day' + interval '1 day' end
         from (select n, case when n % 10 < 7 then 'fixed' when n % 10 < 9 then 'accepted' else 'open' end as s,
                      case when n % 10 < 7 then (${ANALYZERS})[1 + n % 77 % 10] else (${OPEN_ANALYZERS})[1 + n % 77 % 5] end as a
                 from generate_series($1::int, $2::int) n) numbered`,
        [n, Math.min(to, n + CHUNK - 1)],
      );
    for (const { made } of indexes) await connection.query(made);
    await connection.query('delete from repository_finding_counts');
    await connection.query(
      `insert into repository_finding_counts (project, analyzer, severity, open)
         select project, analyzer, severity, count(*) from repository_findings where status = 'open' group by 1, 2, 3`,
    );
    await connection.query('analyze repository_findings');
  } finally {
    connection.release(true);
  }
}

/** Adds runs with their steps, documents, decisions, snapshots and baselines. */
export async function addRuns(db: Pool, project: string, from: number, to: number): Promise<void> {
  const runs = [
    `insert into repository_runs (run_id, project, chain, ref, commit_id, status, is_dry, counts, started_at, finished_at)
     select 'run-' || n, ${project}, (array['tech_debt', 'security_scan', 'doc_generation'])[1 + n % 3], 'HEAD', md5(n::text), 'completed', false,
            '{"opened": 1, "reopened": 0, "fixed": 1, "open": 9}', now() - (20000 - n) * interval '1 hour', now() - (20000 - n) * interval '1 hour'`,
    `insert into repository_decisions (action_id, project, kind, about, reason, user_key) select 'act-' || n, ${project}, 'accept', n::text, 'known', '1'`,
    `insert into repository_artifacts (run_id, path, agent, mime_type, sha256, bytes)
     select 'run-' || n, 'var/artifacts/report.md', 'report_writer', 'text/markdown', md5(n::text), repeat('a line of a report', 50)::bytea`,
    `insert into repository_snapshots (project, action_id, reason, findings, content, checksum, user_key)
     select ${project}, 'snap-' || n, '', 1, '\\x00', md5(n::text), '1'`,
    `insert into registry_entities (entity_type, entity_id, project, data, checksum)
     select 'baseline', ${project} || '/b' || n, ${project}, '{}', repeat('a', 64)`,
  ];
  for (const text of runs) await db.query(`${text} from generate_series($1::int, $2::int) n`, [from, to]);
  await db.query(
    `insert into repository_agent_runs (run_id, step, agent, agent_class, status, output, finished_at)
     select 'run-' || n, step, 'discovery', 'READ_ONLY_SCAN', 'completed', '{"findings": {}, "summaries": {}}', now()
       from generate_series($1::int, $2::int) n, generate_series(0, 5) step`,
    [from, to],
  );
  await db.query('analyze');
}
