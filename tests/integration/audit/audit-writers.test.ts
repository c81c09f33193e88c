import { AuditKind } from '@signalbox/contracts/governance/audit';
import { appendAudit } from '@signalbox/store/audit/audit';
import { DATABASE_SERVICES, getServiceRole, type ServiceWithLogin } from '@signalbox/store/migrations/service-rights';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serviceUrl } from '../../support/service-login.ts';
import { exampleEvent, openAuditHarness, type AuditHarness } from './harness.ts';

const REFUSED = { code: '42501' };

// Whoever holds the password of a service records what that service records, and it says so.
let harness: AuditHarness;
const logins = new Map<ServiceWithLogin, pg.Client>();
const as = (service: ServiceWithLogin): pg.Client => {
  const found = logins.get(service);
  if (!found) throw new Error(`no login for ${service}`);
  return found;
};
beforeAll(async () => {
  harness = await openAuditHarness();
  for (const service of DATABASE_SERVICES)
    logins.set(service, new pg.Client({ connectionString: serviceUrl(harness.databaseUrl, service) }));
  for (const login of logins.values()) await login.connect();
});
afterAll(async () => {
  for (const login of logins.values()) await login.end();
  await harness.close();
});

/** Which services may record an event of this kind in this name, tried with both the login and the role that it takes. */
async function recorders(kind: string, actor: string): Promise<readonly ServiceWithLogin[]> {
  const may: ServiceWithLogin[] = [];
  for (const [service, login] of logins) {
    const outcomes = new Set<boolean>();
    for (const role of ['reset role', `set role ${getServiceRole(service)}`]) {
      await login.query(role);
      const writing = login.query('select audit_append($1)', [JSON.stringify([{ kind, actor, data: {} }])]);
      outcomes.add(await writing.then(() => true, isRefusal));
    }
    expect(outcomes.size).toBe(1);
    if (outcomes.has(true)) may.push(service);
  }
  return may;
}

function isRefusal(error: unknown): false {
  expect(error).toMatchObject(REFUSED);
  return false;
}

/** Who records what people do. What is missing is recorded by the command line alone, or by nobody. */
const BY_PEOPLE: Readonly<Record<string, readonly ServiceWithLogin[]>> = {
  'approval.requested': ['worker'],
  'approval.consumed': ['worker'],
  'secret.used': ['deploy'],
  'secret.refused': ['gateway', 'deploy'],
  'secret.kept': ['gateway'],
  'secret.deleted': ['gateway'],
  'service.muted': ['gateway'],
  'incident.taken': ['gateway'],
  'incident.silenced': ['gateway'],
  'rota.set': ['gateway'],
  'rota.removed': ['gateway'],
  'rota.covered': ['gateway'],
  'rota.uncovered': ['gateway'],
  'file.denied': ['agents', 'deploy', 'analysis'],
  'repository.scanned': ['analysis'],
  'turn.recorded': ['worker'],
  'role.changed': ['gateway'],
  'break_glass.opened': ['gateway'],
  // By a command in the gateway, or by words, as a tool of the worker.
  'memory.forgotten': ['gateway', 'worker'],
  'freeze.set': ['gateway', 'worker'],
  'freeze.lifted': ['gateway', 'worker'],
  'schedule.made': ['worker'],
  'schedule.changed': ['gateway', 'worker'],
  'approval.voided': ['gateway', 'worker'],
  'dead_letter.settled': ['gateway'],
  'grant.given': ['gateway'],
  'grant.revoked': ['gateway'],
};
const ONLY_THE_WORKER = /^(action|capability|finding|project|registry)\./;
const ONLY_THE_GATEWAY = /^approval\.(voted|click_refused|asked|answered|approved|rejected|modified)$/;
const ONLY_BY_ITSELF: Readonly<Record<string, readonly ServiceWithLogin[]>> = {
  'approval.voided': ['gateway', 'worker', 'maintenance'],
  'approval.expired': ['gateway', 'maintenance'],
  'approval.reminded': ['maintenance'],
  'approval.escalated': ['maintenance'],
  'schedule.paused': ['maintenance'],
  'policy.loaded': ['worker'],
  'policy.refused': ['worker'],
  'service.revived': ['deploy'],
  'incident.escalated': ['deploy'],
  'service.given_up': ['deploy'],
  'service.crash_stopped': ['deploy'],
};

function recordersByPeople(kind: string): readonly ServiceWithLogin[] {
  if (ONLY_THE_WORKER.test(kind)) return ['worker'];
  return ONLY_THE_GATEWAY.test(kind) ? ['gateway'] : (BY_PEOPLE[kind] ?? []);
}

describe('an audit event', () => {
  it.each(AuditKind.options)(
    'of kind %s can be recorded by the service whose work it is, and by no other login',
    async (kind) => {
      const byPeople = recordersByPeople(kind);
      expect(await recorders(kind, '1001')).toEqual(byPeople);
      expect(await recorders(kind, 'system')).toEqual(ONLY_BY_ITSELF[kind] ?? byPeople);
    },
  );

  it('with a kind that belongs to another login is not stored, and neither are the events stored with it', async () => {
    const count = async (): Promise<unknown> => (await harness.owner.query('select count(*) from audit_events')).rows;
    const before = await count();
    const both = ['file.denied', 'role.changed'].map((kind) => ({ kind, actor: '1001', data: {} }));
    await expect(as('agents').query('select audit_append($1)', [JSON.stringify(both)])).rejects.toMatchObject(REFUSED);
    expect(await count()).toEqual(before);
  });

  it('names the database role that wrote it, whatever the writer claims', async () => {
    const agents = as('agents');
    const forged = [
      { kind: 'file.denied', actor: '1001', written_by: 'signalbox_gateway', writtenBy: 'signalbox_gateway', data: {} },
    ];
    for (const take of [
      `set role ${getServiceRole('gateway')}`,
      'set role signalbox_app',
      `select set_config('role', '${getServiceRole('gateway')}', false)`,
      `set session authorization ${getServiceRole('gateway')}`,
    ])
      await expect(agents.query(take)).rejects.toMatchObject(REFUSED);
    const writers: unknown[] = [];
    for (const role of [`set role ${getServiceRole('agents')}`, 'reset role']) {
      await agents.query(role);
      await agents.query('select audit_append($1)', [JSON.stringify(forged)]);
      const { rows } = await harness.owner.query<{ writer: string }>(
        'select written_by as writer from audit_events order by event_id desc limit 1',
      );
      writers.push(rows[0]?.writer);
    }
    expect(writers).toEqual([getServiceRole('agents'), getServiceRole('agents')]);
  });

  it('may be of any kind where one login serves all services', async () => {
    await appendAudit(
      harness.pool,
      AuditKind.options.map((kind) => ({ ...exampleEvent(1), kind })),
    );
    const { rows } = await harness.owner.query(
      'select written_by as by from audit_events order by event_id desc limit 1',
    );
    expect(rows).toEqual([{ by: 'signalbox_app' }]);
  });

  it('with a writer other than the sealed one does not verify', async () => {
    await harness.sealAll();
    expect(await harness.verify()).toMatchObject({ ok: true });
    for (const writer of [`'signalbox_gateway'`, 'null']) {
      const client = await harness.owner.connect();
      try {
        await client.query(`begin; set local session_replication_role = 'replica'`);
        await client.query(
          `update audit_events set written_by = ${writer} where event_id = (select event_id from audit_chain where seq = 5)`,
        );
        expect(await harness.verify(client)).toMatchObject({ ok: false, finding: { seq: 5, problem: 'edited' } });
      } finally {
        await client.query('rollback');
        client.release();
      }
    }
  });
});
