import type { Pool } from '@signalbox/store/pool';

/** Words, deployments, decisions and lines of logs as an installation has them after some weeks. */
const SAID = [
  'Is the price list cached in redis?',
  'We decided that the cache stays in memory until spring, redis is not worth it for one server.',
  'Our supplier Nordwind sent the October invoice again, please remind me that Nordwind invoices us twice.',
  'Put the new shop on staging please',
  'The memory limit of the shop is too low: at 256 MB its workers are killed during the sale, so set 512.',
  'good morning',
  'which projects are there?',
  'thank you, that is all for today',
] as const;

const DEPLOYMENTS = [
  ['web', 'production', 'deploy', '1.3.0', 'succeeded', null],
  ['web', 'production', 'rollback', '1.2.0', 'succeeded', 'The checkout answered 500 after the switch.'],
  ['logger', 'staging', 'deploy', '2.0.0', 'failed', 'The build failed: npm ci ended with 1.'],
] as const;

const DECISIONS = [
  ['web', 'Run migration 42 of the database', 'approved'],
  ['web', 'Deploy the payment change 1.4.0 to production', 'consumed'],
  ['logger', 'Stop logger in staging', 'rejected'],
] as const;

const BUILD_LINES = [
  'npm error code E404',
  "npm error 404 Not Found - GET https://registry.npmjs.org/left-padd - 'left-padd' is not in this registry.",
  "src/price.ts(14,3): error TS2322: Type 'string' is not assignable to type 'number'.",
  'added 213 packages in 4s',
  'Error: write ENOSPC: no space left on device',
] as const;

const ERRORS = [
  'Error: connect ECONNREFUSED 10.0.0.5:5432 (database)',
  'FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory',
  'warning: slow query took 4120 ms: select * from orders',
  'Error: certificate has expired (CERT_HAS_EXPIRED)',
  'login failed for user ada: wrong password',
  'request to http://payments:4000/charge timed out after 5000 ms (payment service)',
  'listening on 3000',
  'GET /health 200 in 2 ms',
] as const;

/** Fills the tables that searches of history and logs read, for the person 1001. The projects exist. */
export async function plantHistory(pool: Pool): Promise<void> {
  for (const text of SAID)
    await pool.query(
      `insert into inbox (channel, bot, update_id, user_key, chat_key, kind, envelope, trace_id, outcome)
       values ('telegram', 'b', gen_random_uuid(), '1001', 'telegram:1001', 'message', jsonb_build_object('text', $1::text), 't', 'answered')`,
      [text],
    );
  await pool.query(`insert into servers (name, host, environment, cpus, memory_mb, first_port, last_port, action_id)
    values ('vps', 'h', 'production', 1, 1, 1, 2, 'act_vps')`);
  for (const [n, [project, environment, kind, ref, state, failure]] of DEPLOYMENTS.entries()) {
    await pool.query(
      `insert into services (project, environment, server) values ($1, $2, 'vps') on conflict do nothing`,
      [project, environment],
    );
    await pool.query(
      `insert into deployments (deployment_id, project, environment, server, driver, kind, ref, user_key, state, failure, requested_at)
       values ($1, $2, $3, 'vps', 'process', $4, $5, '1001', $6, $7, now() - $8 * interval '1 day')`,
      [`act_d${n}`, project, environment, kind, ref, state, failure === null ? null : { sentence: failure }, 9 - n],
    );
  }
  for (const [n, [project, what, status]] of DECISIONS.entries()) {
    await pool.query(
      `insert into actions (action_id, turn_id, turn_key, thread_id, user_key, tool, arguments, proposal, hash, status, epoch)
       values ($1, 't', 't', 'th', '1002', 'trigger_deploy', $2, '{}', 'h', 'done', 1)`,
      [`act_p${n}`, { project }],
    );
    await pool.query(
      `insert into approvals (approval_id, action_id, user_key, chat_key, thread_id, turn_id, trace_id, hash, rule, policy, needed, role, solo,
         authors, card, status, expires_at) values ($1, $2, '1002', 'telegram:1002', 'th', 't', 't', 'h', 'r', 'p', 1, 'operator', true, '{}', $3, $4, now())`,
      [`apr_${n}`, `act_p${n}`, { what }, status],
    );
  }
  for (const [n, line] of BUILD_LINES.entries())
    await pool.query(
      `insert into deployment_lines (deployment_id, n, state, line) values ('act_d2', $1, 'building', $2)`,
      [n + 1, line],
    );
  for (const [n, sample] of ERRORS.entries())
    await pool.query(
      `insert into error_groups (project, environment, fingerprint, source, sample, first_seen, last_seen, count)
       values ('web', 'production', $1, 'log', $2, now(), now() - $3 * interval '1 hour', 3)`,
      [`f${n}`, sample, n],
    );
}
