import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from '@signalbox/store/pool';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDemoStack, type DemoStack } from '../support/demo-stack.ts';
import { eventually } from '../support/until.ts';

/** What other people have left in each table that grows with use. */
const ROWS = 5_000;

/** A row per n, as a person, their project, a deployment of it and all that they left behind. */
const LEFT_BY_OTHERS = [
  `insert into users (user_key, channel, name, role) select 'u' || n, 'telegram', 'P', 'developer'`,
  `insert into lanes (user_key) select 'u' || n`,
  `insert into chats (chat_key) select 'c' || n`,
  `insert into threads (thread_id, user_key, n, chat_key, agent) select 't' || n, 'u' || n, 1, 'c' || n, 'product_owner'`,
  `insert into turns (turn_id, thread_id, user_key, epoch, worker, trace_id, outcome, started_at)
   select 'turn_' || n, 't' || n, 'u' || n, 1, 'w', 'tr', 'answered', now()`,
  `insert into inbox (channel, bot, update_id, user_key, chat_key, kind, envelope, trace_id, outcome)
   select 'telegram', '1', 'x' || n, 'u' || n, 'c' || n, 'message', '{}', 'tr', 'answered'`,
  `insert into outbox (key, chat_key, user_key, trace_id, priority, body, status)
   select 'x' || n, 'c' || n, 'u' || n, 'tr', 1, '{}', 'sent'`,
  `insert into actions (action_id, turn_id, thread_id, user_key, tool, arguments, epoch, status, started_at, settled_at)
   select 'act_' || n, 'turn_' || n, 't' || n, 'u' || n, 'trigger_deploy', '{}', 1, 'done', now(), now()`,
  `insert into approvals (approval_id, action_id, user_key, chat_key, thread_id, turn_id, trace_id, hash, rule, policy, needed, role,
     solo, authors, card, status, expires_at)
   select 'apr_' || n, 'act_' || n, 'u' || n, 'c' || n, 't' || n, 'turn_' || n, 'tr', '', 'r', 'p', 1, 'operator', false,
     array['u' || n], '{}', 'consumed', now()`,
  `insert into execution_turns (turn_id, pass, thread_id, user_key, context_hash, record, record_hash)
   select 'turn_' || n, 0, 't' || n, 'u' || n, '', '{}', ''`,
  `insert into runs (run_id, job, payload, trace_id, status) select 'act_' || n, 'x', '{}', 'tr', 'done'`,
  `insert into projects (name, description, owner, action_id, created_at)
   select 'service-' || n, 'a project', 'u' || n, 'act_' || n, now() - n * interval '1 minute'`,
  `insert into services (project, environment, server) select 'service-' || n, 'staging', 'local'`,
  `insert into port_allocations (server, port, project, service, allocated_by, action_id, released_at, release_action_id)
   select 'local', 30000 + n, 'service-' || n, 'web', 'u' || n, 'act_' || n, now(), 'rel_' || n`,
  `insert into deployments (deployment_id, project, environment, server, driver, kind, ref, state, user_key, finished_at)
   select 'act_' || n, 'service-' || n, 'staging', 'local', 'process', 'deploy', '1.0', 'succeeded', 'u' || n, now()`,
  `insert into deployment_events (deployment_id, n, to_state, actor) select 'act_' || n, 1, 'succeeded', 'system'`,
  `insert into deployment_lines (deployment_id, n, state, line) select 'act_' || n, 1, 'building', 'a line'`,
  `insert into repository_runs (run_id, project, chain, ref, status, is_dry, finished_at)
   select 'act_' || n, 'service-' || n, 'tech_debt', 'HEAD', 'completed', false, now()`,
  `insert into repository_agent_runs (run_id, step, agent, agent_class, status)
   select 'act_' || n, 0, 'discovery', 'READ_ONLY_SCAN', 'completed'`,
  `insert into repository_findings (project, fingerprint, analyzer, rule, severity, path, evidence, "values", first_run, first_commit, changed_run)
   select 'service-' || n, md5(n::text), 'code', 'code/merge-conflict', 3, 'a.ts', '', '{}', 'act_' || n, 'c', 'act_' || n`,
  `insert into repository_decisions (action_id, project, kind, about, user_key)
   select 'act_' || n, 'service-' || n, 'accept', n::text, 'u' || n`,
  `insert into repository_artifacts (run_id, path, agent, mime_type, sha256, bytes)
   select 'act_' || n, 'var/artifacts/report.md', 'report_writer', 'text/markdown', '', ''`,
  `insert into repository_scan_caches (project, analyzer, content) select 'service-' || n, 'code', ''`,
  `insert into repository_snapshots (project, action_id, reason, findings, content, checksum, user_key)
   select 'service-' || n, 'act_' || n, '', 0, '', '', 'u' || n`,
  `insert into registry_entities (entity_type, entity_id, project, data, checksum)
   select 'baseline', 'service-' || n || '/v1', 'service-' || n, '{}', repeat('a', 64)`,
  `insert into incidents (subject, kind, detail, closed_at) select 'service:service-' || n || '/staging', 'down', '', now()`,
];

describe('after years of use by others', () => {
  let demo: DemoStack;
  let pool: Pool;
  beforeAll(async () => {
    demo = await openDemoStack();
    pool = demo.stack.pool;
    for (const text of LEFT_BY_OTHERS) await pool.query(`${text} from generate_series(1, ${ROWS}) n`);
    await pool.query('analyze');
  }, 120_000);
  afterAll(async () => {
    await pool.query(`delete from turns where user_key like 'u%'`); // every turn that is left must replay
    await pool.query(`delete from execution_turns where user_key like 'u%'`);
    await demo.close();
  }, 60_000);

  const ask = (text: string, pattern: RegExp): Promise<string> => demo.tell(demo.people.ben, text, pattern);

  it('a conversation, its deployments, its scans and the loops of all services read no table as a whole', async () => {
    const before = await rowsScanned(pool);
    await ask('register the demo project', /registered the project demo/);
    await ask('deploy demo 1.0 to staging', /✅ Deployed/);
    await ask('deploy demo 1.2 to staging', /❌ demo in staging: 1\.2-\w+ failed/);
    await ask('why did it fail?', /did not answer/);
    await ask('what is the status of demo?', /demo/);
    await demo.people.ben.ask('/new');
    await ask('analyze the tech debt of demo', /the first run/);
    await ask('show the findings of demo', /findings of|no finding/i);
    await ask('make a snapshot of the findings of demo', /Snapshot \d+ of demo is saved/);
    await ask('give me the report of demo', /Here is the report of demo/);
    const looked = async () =>
      (
        await pool.query(
          `select 1 from services where project = 'demo' and environment = 'staging' and look_at is not null`,
        )
      ).rowCount;
    await eventually(looked, (count) => count === 1, 60_000);
    const after = await rowsScanned(pool);
    const whole = Object.entries(after).filter(([table, rows]) => rows - (before[table] ?? 0) >= ROWS);
    expect(whole).toEqual([]);
  }, 180_000);
});

/** How many rows were read of each table without an index, by everybody and so far. */
async function rowsScanned(pool: Pool): Promise<Readonly<Record<string, number>>> {
  await sleep(1_500); // a connection says what it has read at the end of a transaction, at most once a second
  const { rows } = await pool.query<{ relname: string; rows: string }>(
    'select relname, seq_tup_read as rows from pg_stat_user_tables',
  );
  return Object.fromEntries(rows.map(({ relname, rows: read }) => [relname, Number(read)]));
}
