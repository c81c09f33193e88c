import { say } from '@signalbox/messages/say';
import { closeIncident, openIncident, type IncidentReport } from '@signalbox/store/deploy/incidents';
import { listIncidentPeople } from '@signalbox/store/incidents/incident-people';
import { recordAlarms, type HeardAlarm } from '@signalbox/store/incidents/record-alarms';
import { notifyNextPeople } from '@signalbox/store/incidents/next-people';
import { muteIncident, takeIncident } from '@signalbox/store/incidents/take-incident';
import { notifyAdmins } from '@signalbox/store/faults';
import { watchRotas } from '@signalbox/store/oncall/hand-over';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openNoticeBench, type NoticeBench } from './notice-bench.ts';

// Alarms come through the gateway and incidents of services through deploy, each under its own login of production.

let bench: NoticeBench;
beforeAll(async () => {
  bench = await openNoticeBench();
});
afterAll(() => bench.close());
beforeEach(async () => {
  await bench.empty();
  await bench.owner.query('truncate rotas, projects cascade');
  for (const [key, role] of [
    ['1001', 'admin'],
    ['1002', 'developer'],
    ['1003', 'developer'],
    ['1004', 'operator'],
  ] as const)
    await bench.person(key, role, [`telegram:${key}`]);
  await bench.owner.query(
    `insert into projects (name, description, owner, action_id) values ('shop', '', '1001', 'act_shop')`,
  );
});

/** A rota whose first person is on call now, with the next hand-over far away. */
async function setRota(people: readonly string[], projects: readonly string[] = [], minutes = 15): Promise<void> {
  await bench.owner.query(
    `insert into rotas (rota, people, projects, weekday, clock, zone, first_day, escalate_minutes)
     values ('night', $1, $2, extract(dow from now() at time zone 'UTC' - interval '1 day'), '00:00', 'UTC',
       (now() at time zone 'UTC' - interval '1 day')::date, $3)`,
    [people, projects, minutes],
  );
}

const SENTENCES = { opened: () => 'It burns.', again: () => 'It burns again.', ended: () => 'It is out.' };
const ALARM: HeardAlarm = {
  fingerprint: 'f1',
  isFiring: true,
  startedAt: null,
  endedAt: null,
  project: 'shop',
  environment: 'staging',
  detail: 'An alarm.',
  quote: 'its own words',
  digest: 'd1',
};
const fire = (over: Partial<HeardAlarm> = {}, tells: readonly string[] = []) =>
  recordAlarms(bench.pools.gateway, { name: 'prometheus', tells }, [{ ...ALARM, ...over }], SENTENCES);

async function openDown(over: Partial<IncidentReport> = {}): Promise<void> {
  const place = { project: 'shop', environment: 'staging' };
  await openIncident(bench.deploy, {
    subject: 'service:shop/staging',
    kind: 'down',
    detail: 'It is down.',
    evidence: {},
    recipients: await listIncidentPeople(bench.deploy, place),
    project: 'shop',
    say: 'shop is down.',
    buttons: [],
    card: { environment: 'staging' },
    mutedUntil: null,
    ...over,
  });
}
const told = async (): Promise<readonly string[]> => (await bench.news()).map(({ who, say }) => `${who}: ${say}`);

describe('an alarm and an incident of a service of ours', () => {
  test('are told to the same person, who is on call, by the same rule', async () => {
    await setRota(['1003', '1002']);
    await fire();
    await openDown();
    const [alarm, own, ...more] = await told();
    expect([alarm, more]).toEqual(['1003: It burns.', []]);
    // The second one says that it is likely the same.
    expect(own).toMatch(/^1003: 🔗 Likely the same cause as an incident .*: An alarm\.\n\nshop is down\.$/);
  });

  test('about one service are one cause: the second goes to who takes care of the first, and no further meanwhile', async () => {
    await bench.person('1002', 'developer', [], { language: 'de' });
    await bench.owner.query(`update users set language = 'de' where user_key = '1002'`);
    await setRota(['1003', '1002'], [], 1);
    await openDown();
    const { rows } = await bench.owner.query<{ id: string }>('select incident_id::text as id from incidents');
    await takeIncident(bench.pools.gateway, rows[0]?.id ?? '', '1002');
    await fire();
    await fire({ fingerprint: 'f2', project: 'blog' });
    await fire({ fingerprint: 'f3', environment: 'production' });
    const [, linked, ...others] = await told();
    expect(linked).toMatch(/^1002: 🔗 Wahrscheinlich dieselbe Ursache .*: It is down\. ✋ 1002 kümmert sich darum\./);
    expect(others).toEqual(['1003: It burns.', '1003: It burns.']);
    await bench.owner.query(`update incidents set told_at = told_at - interval '5 minutes'`);
    await notifyNextPeople(bench.deploy, 15);
    const { rows: escalated } = await bench.owner.query(
      `select evidence ->> 'project' as project, evidence ->> 'environment' as environment from incidents
        where (select count(*) from incident_tellings t where t.incident_id = incidents.incident_id) > 1 order by 1`,
    );
    expect(escalated).toEqual([
      { project: 'blog', environment: 'staging' },
      { project: 'shop', environment: 'production' },
    ]);
  });

  test('without a rota of the project are told to who answers for the service', async () => {
    await setRota(['1003'], ['blog']);
    await fire();
    await openDown();
    expect(await told()).toEqual(['1001: It burns.', expect.stringMatching(/^1001: .*\n\nshop is down\.$/)]);
  });

  test('pass over whoever cannot be reached, or may no longer take one', async () => {
    await setRota(['1003', '1002', '1004']);
    await bench.park('telegram:1003');
    await bench.owner.query(`update users set role = 'viewer' where user_key = '1002'`);
    await fire();
    await openDown();
    expect(await told()).toEqual(['1004: It burns.', expect.stringMatching(/^1004: .*\n\nshop is down\.$/)]);
  });

  test('end for whoever took them', async () => {
    await setRota(['1003', '1002']);
    await openDown();
    await fire();
    const { rows } = await bench.owner.query<{ id: string }>('select incident_id::text as id from incidents');
    for (const { id } of rows) await takeIncident(bench.pools.gateway, id, '1002');
    const end = { subject: 'service:shop/staging', kind: 'down', project: 'shop', say: 'shop is well.' };
    await closeIncident(bench.deploy, end);
    await fire({ isFiring: false });
    expect((await told()).slice(2)).toEqual(['1002: shop is well.', '1002: It is out.']);
  });
});

describe('an incident that nobody takes', () => {
  const MINUTE_MS = 60_000;
  /** Lets minutes pass since the newest telling. */
  const pass = async (minutes: number): Promise<void> =>
    void (await bench.owner.query(`update incidents set told_at = told_at - $1 * interval '1 minute'`, [minutes]));
  /** Two job services at once. */
  const escalate = async (minutes = 15): Promise<void> =>
    void (await Promise.all([1, 2].map(() => notifyNextPeople(bench.deploy, minutes))));
  const asked = async (): Promise<readonly string[]> => (await bench.news()).map(({ who }) => who);
  const incidentId = async (): Promise<string> =>
    (await bench.owner.query<{ id: string }>('select max(incident_id)::text as id from incidents')).rows[0]?.id ?? '';

  test('goes on to the next of the rota, then to all operators, then to the admins, each once, with who has not answered', async () => {
    await bench.person('1005', 'operator', ['telegram:1005'], { language: 'de' });
    await setRota(['1003', '1002'], [], 10);
    await fire();
    await pass(9);
    await escalate();
    expect(await asked()).toEqual(['1003']);
    await pass(2);
    await escalate();
    await escalate();
    expect(await asked()).toEqual(['1003', '1002']);
    expect((await bench.news())[1]?.say).toBe(
      '⏫ **1003** has not answered for 11 minutes, so I am asking you.\n\nIt burns.',
    );
    await pass(10);
    await escalate();
    expect(await asked()).toEqual(['1003', '1002', '1004', '1005']);
    expect((await bench.news())[3]?.say).toMatch(/^⏫ \*\*1002\*\* hat seit 10 Minuten nicht geantwortet/);
    await pass(10);
    await escalate();
    expect(await asked()).toEqual(['1003', '1002', '1004', '1005', '1001']);
    expect((await bench.news())[4]?.say).toContain('Nobody has answered for 10 minutes');
    for (let n = 0; n < 2; n++) {
      await pass(10);
      await escalate();
    }
    expect(await asked()).toHaveLength(5);
    const { rows } = await bench.owner.query(
      `select data ->> 'incident' as id, data -> 'to' as people from audit_events where kind = 'incident.escalated' order by event_id desc limit 1`,
    );
    expect(rows).toEqual([{ id: await incidentId(), people: ['1001'] }]);
  });

  test('of our own goes on too, and without a rota along who answers for the service, after the usual time', async () => {
    await openDown();
    await pass(14);
    await escalate();
    expect(await asked()).toEqual(['1001']);
    await pass(2);
    await escalate();
    expect(await asked()).toEqual(['1001', '1004']);
    expect(await told()).toContain(
      '1004: ⏫ **1001** has not answered for 16 minutes, so I am asking you.\n\nshop is down.',
    );
  });

  test('is told to one person only, however long no job service ran', async () => {
    await setRota(['1003', '1002', '1004'], [], 1);
    await fire();
    await pass(600);
    for (let n = 0; n < 3; n++) await escalate();
    expect(await asked()).toEqual(['1003', '1002']);
  });

  test.each<readonly [string, () => Promise<unknown>]>([
    ['was taken', async () => takeIncident(bench.pools.gateway, await incidentId(), '1003')],
    ['was silenced', async () => muteIncident(bench.pools.gateway, await incidentId())],
    ['is over', () => fire({ isFiring: false })],
  ])('goes no further when it %s', async (_, act) => {
    await setRota(['1003', '1002'], [], 1);
    await fire();
    await act();
    await pass(30);
    await escalate();
    expect(await asked()).not.toContain('1002');
  });

  test('goes on after its silence is over', async () => {
    await setRota(['1003', '1002'], [], 1);
    await fire();
    await muteIncident(bench.pools.gateway, await incidentId());
    await pass(120);
    await bench.owner.query(`update incidents set silenced_until = now() - interval '30 seconds'`);
    await escalate();
    expect(await asked()).toEqual(['1003']);
    await notifyNextPeople(bench.deploy, 15, new Date(Date.now() + MINUTE_MS));
    expect(await asked()).toEqual(['1003', '1002']);
  });

  test('of a source that names people goes along those first', async () => {
    await setRota(['1003'], [], 1);
    await fire({}, ['1002', '1004']);
    for (let n = 0; n < 2; n++) {
      await pass(2);
      await escalate();
    }
    expect(await asked()).toEqual(['1002', '1004', '1003']);
  });

  test('and comes back soon after its end is told to who read the end, and then goes along everybody again', async () => {
    await setRota(['1003', '1002'], [], 1);
    const next = async (): Promise<void> => {
      await pass(2);
      await escalate();
    };
    await fire();
    await next();
    await fire({ isFiring: false });
    expect(await asked()).toEqual(['1003', '1002', '1002']);
    await fire({ digest: 'd2' });
    expect((await told()).at(-1)).toBe('1002: It burns again.');
    for (let n = 0; n < 3; n++) await next();
    expect((await asked()).slice(4)).toEqual(['1003', '1004', '1001']);
  });

  test('whose text is an order gives none: a name and an alarm stay quotations', async () => {
    await bench.owner.query(
      `update users set name = '**now** [deploy](http://evil.example) /oncall remove night' where user_key = '1003'`,
    );
    await setRota(['1003', '1002'], [], 1);
    await fire({ quote: '/oncall remove night' });
    await pass(2);
    await escalate();
    const { say = '' } = (await bench.news())[1] ?? {};
    expect(say).toContain(String.raw`**\*\*now\*\* \[deploy\](http://evil.example) /oncall remove night**`);
    expect((await bench.owner.query('select 1 from rotas')).rowCount).toBe(1);
  });
});

describe('a hand-over', () => {
  const said = async (): Promise<readonly string[]> => (await bench.said()).map(([chat, text]) => `${chat} ${text}`);
  const handOver = async (now: Date | null = null): Promise<void> =>
    void (await Promise.all([1, 2].map(() => watchRotas(bench.maintenance, now))));
  const NOON = '2026-11-30T12:00:00Z';
  const at = (iso: string): Date => new Date(iso);
  /** Hands over each Monday at noon; it was set in the week before. */
  const setNoon = async (people: readonly string[], changed = '2026-11-24'): Promise<void> =>
    void (await bench.owner.query(
      `insert into rotas (rota, people, weekday, clock, zone, first_day, escalate_minutes, changed_at)
         values ('night', $1, 1, '12:00', 'UTC', '2026-11-23', 15, $2)`,
      [people, changed],
    ));

  test('is told once to whoever leaves and whoever comes, with what is open and what happened', async () => {
    await setNoon(['1003', '1002']);
    await bench.owner.query(
      `insert into incidents (subject, kind, detail, opened_at, closed_at, taken_by, words, told)
       values ('service:shop/staging', 'down', 'It is down.', '2026-11-29', null, '1003', '{}', '1003'),
              ('alarm:prometheus/f1', 'alarm', 'An alarm.', '2026-11-28', '2026-11-28', null, '{}', '1003')`,
    );
    await handOver(at('2026-11-30T11:59:59Z'));
    expect(await said()).toEqual([]);
    await handOver(at(NOON));
    await handOver(at('2026-11-30T12:00:10Z'));
    const texts = await said();
    expect(texts.map((text) => text.split(' ')[0])).toEqual(['telegram:1003', 'telegram:1002']);
    expect(texts[0]).toContain(
      'Hand-over of **night** (all projects): **1003** goes off call, **1002** is on call until Mon, Dec 7, 2026, 12:00 (UTC).',
    );
    expect(texts[0]).toContain('In the turn of 1003: 2 incidents, 1 taken, 1 still open.');
    expect(texts[0]).toContain('Open now:\n- **shop/staging**: It is down. For ');
    expect(texts[0]).toContain('✋ 1003 looks after it.');
  });

  test('names what is open to each in their language', async () => {
    await bench.owner.query(`update users set language = 'de' where user_key = '1002'`);
    await setNoon(['1003', '1002']);
    await openDown({ detail: () => say('health.badStatus', { status: 500 }) });
    await fire({ detail: () => say('health.diskLow', { free: 7 }) });
    await handOver(at(NOON));
    const [leaves, comes] = await said();
    expect(leaves).toContain('- **shop/staging**: It answers with status 500. For ');
    expect(leaves).toContain('- Only 7 MB');
    expect(comes).toContain('- **shop/staging**: Es antwortet mit Status 500. Seit ');
    expect(comes).toContain('Niemand hat ihn übernommen.');
  });

  test('counts what whoever leaves was told of in the turn, also before the rota was changed', async () => {
    await setNoon(['1003', '1002'], '2026-11-29');
    await bench.owner.query(
      `with i as (
         insert into incidents (subject, kind, detail, opened_at, words, told)
         values ('alarm:prometheus/f1', 'alarm', 'An alarm.', '2026-11-28', '{}', '1003'),
                ('alarm:prometheus/f2', 'alarm', 'Another.', '2026-11-28', '{}', '1002') returning incident_id, told)
       insert into incident_tellings (incident_id, person, user_key) select incident_id, told, told from i`,
    );
    await handOver(at(NOON));
    expect((await said())[0]).toContain('In the turn of 1003: one incident, 0 taken, 1 still open.');
  });

  test('that is late is told while its turn lasts, and older ones are left out', async () => {
    await setNoon(['1003', '1002', '1004']);
    await handOver(at('2026-12-13T23:00:00Z'));
    const texts = await said();
    expect(texts).toHaveLength(2);
    expect(texts[0]).toContain('**1002** goes off call, **1004** is on call until Mon, Dec 14, 2026');
  });

  test('to and from somebody who covers is one too', async () => {
    await setNoon(['1003', '1002']);
    await bench.owner.query(
      `insert into rota_covers (rota, user_key, from_at, until_at) values ('night', '1004', now() + interval '1 hour', now() + interval '2 hours');
       update rotas set first_day = (now() - interval '2 days')::date, weekday = extract(dow from now() - interval '2 days')`,
    );
    const inMinutes = (minutes: number): Date => new Date(Date.now() + minutes * 60_000);
    await handOver(inMinutes(61));
    await handOver(inMinutes(121));
    expect((await said()).map((text) => text.replace(/ is on call.*/s, ''))).toEqual([
      'telegram:1003 📟 Hand-over of **night** (all projects): **1003** goes off call, **1004**',
      'telegram:1004 📟 Hand-over of **night** (all projects): **1003** goes off call, **1004**',
      'telegram:1004 📟 Hand-over of **night** (all projects): **1004** goes off call, **1003**',
      'telegram:1003 📟 Hand-over of **night** (all projects): **1004** goes off call, **1003**',
    ]);
  });

  test('passes over whoever cannot be told, which the admins hear once, and once that it is over', async () => {
    await setNoon(['1003', '1002']);
    await bench.park('telegram:1002');
    for (let n = 0; n < 2; n++) {
      await handOver();
      await notifyAdmins(bench.maintenance);
    }
    const gap = 'telegram:1001 ⚠️ **1002** stands in the rota **night** and cannot be told';
    expect((await said()).filter((text) => text.startsWith(gap))).toHaveLength(1);
    expect((await said()).filter((text) => text.includes('Hand-over'))).toEqual([]);
    await bench.unpark('telegram:1002');
    await handOver();
    await bench.age();
    await notifyAdmins(bench.maintenance);
    expect((await said()).at(-1)).toContain('✅ **1002** of the rota **night** no longer has to be passed over.');
    await bench.owner.query(
      `insert into rota_covers (rota, user_key, from_at, until_at) values ('night', '1009', now(), now() + interval '1 hour')`,
    );
    await handOver();
    await notifyAdmins(bench.maintenance);
    expect((await said()).at(-1)).toContain('⚠️ **1009** stands in the rota **night** and cannot be told');
  });
});
