import { afterAll, beforeAll, expect, test } from 'vitest';
import { openHarness, PEOPLE, type Harness } from '../../integration/gateway/harness.ts';
import { writeSources } from '../sources-file.ts';
import { alertmanagerBody, TOKEN } from './alarm-stack.ts';

// What a source says late, twice, too often or too fast.

let harness: Harness;
let url = '';
beforeAll(async () => {
  harness = await openHarness();
  const mapping = {
    projects: ['shop'],
    names: { prod: 'production', 'checkout-api': 'shop' },
    defaultEnvironment: 'staging',
  };
  const sources = [
    { name: 'alertmanager', kind: 'alertmanager', secret: TOKEN, ...mapping },
    { name: 'flood', kind: 'alertmanager', secret: `${TOKEN}-flood` },
    { name: 'broken', kind: 'alertmanager', secret: `${TOKEN}-broken` },
  ];
  const { gateway } = await harness.startGateway({
    GATEWAY_CHANNELS: 'telegram,ingress',
    GATEWAY_HTTP_PORT: '0',
    INGRESS_BURST: '8',
    INGRESS_SOURCES_FILE: writeSources(sources),
  });
  url = `http://127.0.0.1:${gateway.httpPort}`;
  await harness.meet(Number(PEOPLE.admin));
}, 60_000);
afterAll(() => harness.close());

const post = (body: unknown, source = 'alertmanager'): Promise<Response> =>
  fetch(`${url}/hooks/${source}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${source === 'alertmanager' ? TOKEN : `${TOKEN}-${source}`}` },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
const news = async (words: string): Promise<readonly string[]> => {
  const rows = await harness.rows<{ say: string }>(
    `select envelope ->> 'say' || coalesce(envelope ->> 'quote', '') as say from inbox where kind = 'incident' order by id`,
  );
  return rows.map(({ say }) => say).filter((say) => say.includes(words));
};
const openNow = async (): Promise<number> =>
  (await harness.rows(`select from incidents where closed_at is null and kind = 'alarm'`)).length;

test('a firing that arrives after its own end opens nothing, and a new one does', async () => {
  const alert = { name: 'LateFiring', startsAt: '2026-11-28T10:00:00Z', endsAt: '2026-11-28T10:05:00Z' };
  await post(alertmanagerBody({ ...alert, status: 'resolved' }));
  await post(alertmanagerBody({ ...alert, endsAt: '0001-01-01T00:00:00Z' }));
  expect(await openNow()).toBe(0);
  await post(alertmanagerBody({ name: 'LateFiring', startsAt: '2026-11-28T10:06:00Z' }));
  expect(await openNow()).toBe(1);
});

test('an end of an earlier episode leaves the present one open', async () => {
  await post(
    alertmanagerBody({
      name: 'LateFiring',
      status: 'resolved',
      startsAt: '2026-11-28T10:00:00Z',
      endsAt: '2026-11-28T10:05:00Z',
    }),
  );
  expect(await openNow()).toBe(1);
  await post(alertmanagerBody({ name: 'LateFiring', status: 'resolved', endsAt: '2026-11-28T10:30:00Z' }));
  expect(await openNow()).toBe(0);
});

test('an alarm that comes and goes is told twice, and its end only after a quiet time', async () => {
  const at = (minute: number): string => new Date(Date.UTC(2026, 10, 28, 11, minute)).toISOString();
  for (let n = 0; n < 6; n++) {
    await post(alertmanagerBody({ name: 'Flapping', startsAt: at(n * 2) }));
    await post(alertmanagerBody({ name: 'Flapping', status: 'resolved', startsAt: at(n * 2), endsAt: at(n * 2 + 1) }));
  }
  const said = (await news('')).slice(-4);
  // Opened, ended, back again; nothing of the other four times.
  expect(said.filter((text) => text.includes('comes and goes'))).toHaveLength(1);
  expect(await news('Flapping')).toHaveLength(3);
  const [row] = await harness.rows<{ flaps: number; waits: boolean }>(
    `select flaps, waits_since > now() + interval '9 minutes' as waits from incidents order by incident_id desc limit 1`,
  );
  expect(row).toEqual({ flaps: 5, waits: true });
});

test('labels name only projects that were granted to the source', async () => {
  await post(alertmanagerBody({ name: 'Granted', labels: { service: 'checkout-api', env: 'prod' } }));
  expect(await news('**shop** in production')).toHaveLength(1);
  await post(alertmanagerBody({ name: 'Foreign', labels: { service: 'bank', env: 'prod' } }));
  expect(await news('bank')).toEqual([]);
});

test('a flood is stored whole, told in part, and named once', async () => {
  const alerts = Array.from({ length: 120 }, (_, n) => ({
    status: 'firing',
    labels: { alertname: `Flood${n}` },
    startsAt: '2026-11-28T10:00:00Z',
  }));
  for (let n = 0; n < 3; n++) expect((await post({ status: 'firing', alerts }, 'flood')).status).toBe(200);
  const rows = await harness.rows(`select from incidents where subject like 'alarm:flood/%' and closed_at is null`);
  expect(rows).toHaveLength(120);
  expect(await news('Flood')).toHaveLength(20);
  expect(await news('🌊 flood brings')).toHaveLength(1);
});

test('a source that sends too fast is asked to send again, and this is said once', async () => {
  const statuses = await Promise.all(
    Array.from({ length: 90 }, () => post({ alerts: [] }, 'flood').then(({ status }) => status)),
  );
  expect(new Set(statuses)).toEqual(new Set([200, 503]));
  expect(await news('sends faster')).toHaveLength(1);
});

test('a source that cannot be understood is told of once, and once when it can be understood again', async () => {
  for (let n = 0; n < 3; n++) expect((await post('{"hello": 1}', 'broken')).status).toBe(400);
  expect((await post('nonsense', 'broken')).status).toBe(400);
  expect(await news('❓ broken sends')).toHaveLength(1);
  await post({ alerts: [] }, 'broken');
  await post({ alerts: [] }, 'broken');
  expect(await news('can be read again')).toHaveLength(1);
});
