import { putDeadLetter } from '@signalbox/store/conversation/dead-letters';
import { putOutbox } from '@signalbox/store/conversation/outbox';
import { endFault, notifyAdmins, reportFault } from '@signalbox/store/faults';
import type { ServiceWithLogin } from '@signalbox/store/migrations/service-rights';
import { describe, expect, it } from 'vitest';
import { openRawPool } from '../../support/database.ts';
import { serviceUrl } from '../../support/service-login.ts';
import {
  BEN,
  CHECKPOINT,
  WORDS,
  approve,
  as,
  database,
  decision,
  end,
  incident,
  message,
  owner,
  run,
  useScene,
  words,
} from './forgery-scene.ts';

useScene();

/** Does these as a service, and demands that each writes a row. */
async function write(service: ServiceWithLogin, ...statements: readonly string[]): Promise<void> {
  for (const statement of statements) expect((await as(service).query(statement)).rowCount).toBeGreaterThan(0);
}

describe('with its own database login', () => {
  it('every service can record a fault and the end of the fault', async () => {
    for (const [service, kind] of [
      ['gateway', 'channel-refused:telegram'],
      ['maintenance', 'audit-unwritten'],
    ] as const) {
      await reportFault(as(service), kind, `${WORDS} `.repeat(100));
      await endFault(as(service), kind);
      await reportFault(as(service), kind, 'again');
      const { rows } = await owner.query(
        `select length(detail) <= 500 as "isShort", closed_at from incidents where kind = $1`,
        [kind],
      );
      expect(rows).toEqual([{ isShort: true, closed_at: null }]);
    }
  });

  it('maintenance expires an approval request, wakes the lane of the requester and updates the cards', async () => {
    const over = decision('apv_over', 'expired');
    await write(
      'maintenance',
      `update approvals set status = 'expired', decided_at = now() where approval_id = 'apv_over'`,
      `update actions set status = 'expired', settled_at = now() where action_id = 'act_over'`,
      message({ ...over.row, ...BEN }, over.says),
      words('apv_over:telegram:1002:expired', 'telegram:1002', 'apv_over'),
      words('apv_open:telegram:1001:pending', 'telegram:1001', 'apv_open', approve('apv_open')), // an admin is asked
    );
    expect((await owner.query(`select from inbox where update_id = 'apv_over:expired'`)).rowCount).toBe(1);
  });

  it('maintenance notifies the requester of a run in its pool', async () => {
    await write('maintenance', message({ ...end('run_index').row, ...BEN }, end('run_index').says));
    expect((await owner.query(`select from inbox where update_id = 'run_index'`)).rowCount).toBe(1);
  });

  it('maintenance notifies an admin of a fault of Signalbox in the private chat', async () => {
    await write('maintenance', words('fault:7:open:telegram:1001', 'telegram:1001', null));
    expect((await owner.query(`select from outbox where starts_with(key, 'fault:')`)).rowCount).toBe(1);
  });

  it('maintenance writes audit checkpoints, and reports events that it cannot seal', async () => {
    const thief = as('maintenance');
    const { rows } = await owner.query<{ logId: string }>(`select log_id as "logId" from audit_log`);
    const [hash, at, keyId] = ['ab'.repeat(32), '2026-11-26T10:00:00.000Z', '0123456789abcdef'];
    const signature = Buffer.alloc(64, 7).toString('base64');
    await owner.query(
      `insert into audit_checkpoints values (5, decode($1, 'hex'), decode($1, 'hex'), $2, $3, decode($4, 'base64'))`,
      [hash, at, keyId, signature],
    );
    const logId = rows[0]?.logId ?? '';
    const said = { logId, size: 5, rootHash: hash, chainHash: hash, at, keyId, signature };
    const text = `${CHECKPOINT}${JSON.stringify(said)}\n\`\`\``;
    const row = {
      key: `audit:${logId}:5`,
      chatKey: 'telegram:-5',
      traceId: 't',
      priority: 9 as const,
      body: { text, buttons: [] },
    };
    expect(await putOutbox(thief, [row], { asIs: true })).toHaveLength(1);
    const letter = { source: 'job', ref: 'audit.seal', userKey: null, reason: 'differs', body: {} } as const;
    for (let n = 0; n < 2; n++) await putDeadLetter(thief, letter);
  });

  it('the worker marks an approval as used and takes one use from a grant', async () => {
    await write(
      'worker',
      `update approvals set status = 'consumed', consumed_at = now(), used = '{}' where approval_id = 'apv_agreed'`,
      `update approvals set reason = 'Deployed' where approval_id = 'apv_agreed'`,
      `update approvals set status = 'void', decided_at = now(), reason = 'It changed' where approval_id = 'apv_open'`,
      `update grants set uses_left = uses_left - 1 where grant_id = 'g_open'`,
    );
    expect((await owner.query(`select decided_by from approvals where status = 'consumed'`)).rows).toEqual([
      { decided_by: 'Cleo' },
    ]);
  });

  it('deploy continues a deployment for its requester, and notifies the requester', async () => {
    await write(
      'deploy',
      run('act_deploy:2', { deploymentId: 'act_deploy' }, BEN),
      `update runs set status = 'running', beat_at = now() where run_id in ('act_deploy', 'act_deploy:2')`,
      words('act_deploy:2/half', 'telegram:1002', 'act_deploy/progress'),
      message({ ...end('act_deploy').row, ...BEN }, end('act_deploy').says),
    );
    expect((await owner.query(`select from inbox where update_id = 'act_deploy'`)).rowCount).toBe(1);
  });
});

it('an incident that the deployment pool records never reaches an admin as a fault of Signalbox', async () => {
  await as('deploy').query(incident('service:shop/production', 'redis-full'));
  await as('deploy').query(incident('service:shop/production', 'note'));
  const pool = openRawPool(serviceUrl(database.url, 'maintenance'));
  try {
    await notifyAdmins(pool);
  } finally {
    await pool.end();
  }
  const { rows } = await owner.query(
    `select distinct subject from outbox join incidents on incident_id::text = split_part(key, ':', 2) where key like 'fault:%'`,
  );
  expect(rows).toEqual([{ subject: 'signalbox' }]);
});
