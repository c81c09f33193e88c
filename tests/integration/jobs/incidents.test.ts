import { closeIncident, listOpenIncidents, openIncident, type IncidentReport } from '@signalbox/store/deploy/incidents';
import { HOUR_MS } from '@signalbox/contracts/time';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { openWorkerBench, type WorkerBench } from '../../support/worker.ts';

let bench: WorkerBench;
beforeAll(async () => {
  bench = await openWorkerBench();
  await bench.addPerson('1001', 'admin');
  await bench.addPerson('1002', 'developer');
});
afterAll(() => bench.close());

const report = (over: Partial<IncidentReport> = {}): IncidentReport => ({
  subject: 'service:shop/staging',
  kind: 'down',
  detail: 'It answered nothing twice.',
  evidence: { looks: 2 },
  recipients: ['1002', '1001'],
  project: 'shop',
  say: '**shop** on staging is down.',
  buttons: [{ label: 'Diagnose', value: 'Diagnose shop on staging' }],
  mutedUntil: null,
  ...over,
});

async function newsOf(subject: string): Promise<readonly { phase: string; user_key: string; chat_key: string }[]> {
  const { rows } = await bench.pool.query<{ phase: string; user_key: string; chat_key: string }>(
    `select i.envelope ->> 'phase' as phase, i.user_key, i.chat_key from inbox i
       join incidents n on n.incident_id::text = i.envelope ->> 'incidentId'
      where i.kind = 'incident' and n.subject = $1 order by i.id`,
    [subject],
  );
  return rows;
}

describe('incidents', () => {
  test('only the first owner or admin who has written to the bot is notified', async () => {
    const subject = 'server:vps-1';
    const nobody = await openIncident(bench.pool, report({ subject }));
    expect(nobody).toMatchObject({ isNew: true, notified: null, incident: { notified: null } });
    await bench.say('1001', 'hello', { silent: true });
    const admin = await openIncident(bench.pool, report({ subject }));
    expect(admin).toMatchObject({ isNew: false, notified: { userKey: '1001' } });
    await bench.say('1002', 'hello', { silent: true });
    expect((await openIncident(bench.pool, report({ subject }))).notified).toBeNull();
    expect(await newsOf(subject)).toEqual([{ phase: 'opened', user_key: '1001', chat_key: 'telegram:1001' }]);
    const owner = await openIncident(bench.pool, report({ subject: 'server:vps-2' }));
    expect(owner.notified).toMatchObject({ userKey: '1002' });
  });

  test('ten probes at once open one incident, and one person is notified once of its start and end', async () => {
    const found = await Promise.all(Array.from({ length: 10 }, () => openIncident(bench.pool, report())));
    expect(new Set(found.map(({ incident }) => incident.incidentId)).size).toBe(1);
    expect(found.filter(({ isNew }) => isNew)).toHaveLength(1);
    expect(found.filter(({ notified }) => notified !== null)).toHaveLength(1);
    const end = { subject: 'service:shop/staging', kind: 'down', project: 'shop', say: 'It is well again.' };
    const ends = await Promise.all([closeIncident(bench.pool, end), closeIncident(bench.pool, end)]);
    expect(ends.filter((one) => one !== null)).toHaveLength(1);
    expect((await newsOf('service:shop/staging')).map(({ phase }) => phase)).toEqual(['opened', 'closed']);
    expect(await listOpenIncidents(bench.pool, 'service:shop/staging')).toEqual([]);
    expect((await openIncident(bench.pool, report())).isNew).toBe(true);
  });

  test('an incident for the cause closes the others, and is reported once per step and deployment', async () => {
    const subject = 'service:kiosk/staging';
    const loop = (deploymentId: string, over: Partial<IncidentReport> = {}) =>
      openIncident(
        bench.pool,
        report({ subject, kind: 'crash-loop', isCause: true, evidence: { deploymentId }, ...over }),
      );
    const kinds = async () => (await listOpenIncidents(bench.pool, subject)).map(({ kind }) => kind);
    await openIncident(bench.pool, report({ subject, evidence: { deploymentId: 'act_1' } }));
    await Promise.all([loop('act_1'), loop('act_1'), loop('act_1')]);
    expect(await kinds()).toEqual(['crash-loop']);
    const stop = { step: 'stopped', detail: 'It was stopped.', quote: 'Error: no cable' };
    await Promise.all([loop('act_1', stop), loop('act_1', stop)]);
    await loop('act_1', stop);
    expect(await newsOf(subject)).toHaveLength(3);
    expect(await listOpenIncidents(bench.pool, subject)).toMatchObject([{ detail: 'It was stopped.' }]);
    // What is stopped when it is seen first is told once.
    await loop('act_2', stop);
    await loop('act_2', stop);
    expect(await newsOf(subject)).toHaveLength(4);
    expect(await kinds()).toEqual(['crash-loop']);
  });

  test.each([
    ['ahead', 2 * HOUR_MS],
    ['behind', -2 * HOUR_MS],
  ])("a service is muted for the requested time even when the prober's clock is wrong (%s)", async (which, offMs) => {
    const inMs = (ms: number): Date => new Date(Date.now() + ms);
    const subject = `service:${which}/staging`;
    const [muted, over] = [
      report({ subject, mutedUntil: inMs(HOUR_MS) }),
      report({ subject, mutedUntil: inMs(-HOUR_MS) }),
    ];
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + offMs });
    try {
      expect((await openIncident(bench.pool, muted)).notified).toBeNull();
      expect((await openIncident(bench.pool, over)).notified).not.toBeNull();
    } finally {
      vi.useRealTimers();
    }
  });

  test('a muted service notifies nobody, not even of the end of an unreported incident', async () => {
    const subject = 'service:blog/production';
    const muted = report({ subject, mutedUntil: new Date(Date.now() + 60_000) });
    expect((await openIncident(bench.pool, muted)).notified).toBeNull();
    expect(
      (await closeIncident(bench.pool, { subject, kind: 'down', project: 'blog', say: 'Well.' }))?.notified,
    ).toBeNull();
    expect(await newsOf(subject)).toEqual([]);
    await openIncident(bench.pool, muted);
    expect((await openIncident(bench.pool, { ...muted, mutedUntil: null })).notified).not.toBeNull();
  });
});
