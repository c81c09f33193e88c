import { DECODERS } from '@signalbox/gateway/channels/ingress/alarms/kinds/decode';
import { DEFAULT_PATHS } from '@signalbox/gateway/channels/ingress/alarms/kinds/generic';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openHarness, PEOPLE, type Harness } from '../../integration/gateway/harness.ts';
import { eventually } from '../../support/until.ts';
import { writeSources } from '../sources-file.ts';
import { mutate, readPayloads, seeded, type Payload } from './payloads.ts';

const SECRET = (name: string): string => `secret-of-${name}-`.padEnd(40, '0');
const PAYLOADS = readPayloads();
const MUTATIONS = 5_000;
const POSTED = 600;

/** Each payload has a source of its own, so that what one opens no other ends. */
const nameOf = (place: number): string => `s${place}`;

const decode = ({ kind, headers, paths }: Payload, body: unknown) =>
  DECODERS[kind](body, { headers, paths: { ...DEFAULT_PATHS, ...paths } });

describe('the payloads of public repositories', () => {
  test('are at least forty, of each kind, and are read as what they are', () => {
    expect(PAYLOADS.length).toBeGreaterThanOrEqual(40);
    const read = PAYLOADS.map((payload) => {
      const decoded = decode(payload, payload.body);
      if (decoded === null) return [payload.name, 'unreadable'];
      if ('ignored' in decoded) return [payload.name, 'ignored'];
      return [payload.name, decoded.alarms[0]?.isFiring ? 'fires' : 'ends'];
    });
    expect(read).toEqual(PAYLOADS.map(({ name, expected }) => [name, expected]));
  });

  test(`never make a reader throw, changed ${MUTATIONS} times`, () => {
    const random = seeded(37);
    for (let n = 0; n < MUTATIONS; n++) {
      const payload = PAYLOADS[n % PAYLOADS.length] as Payload; // there are payloads
      const body = mutate(payload.body, random);
      expect(() => decode(payload, body), `${payload.name}, mutation ${n}`).not.toThrow();
    }
  });
});

describe('a gateway that gets them all', () => {
  let harness: Harness;
  let url = '';
  beforeAll(async () => {
    harness = await openHarness();
    const sources = PAYLOADS.map(({ kind, paths }, place) => ({
      name: nameOf(place),
      kind,
      secret: SECRET(nameOf(place)),
      ...(paths ? { paths } : {}),
    }));
    const { gateway } = await harness.startGateway({
      GATEWAY_CHANNELS: 'telegram,ingress',
      GATEWAY_HTTP_PORT: '0',
      INGRESS_SOURCES_FILE: writeSources(sources),
    });
    url = `http://127.0.0.1:${gateway.httpPort}`;
    await harness.meet(Number(PEOPLE.admin));
  }, 60_000);
  afterAll(() => harness.close());

  const post = (place: number, body: unknown): Promise<Response> =>
    fetch(`${url}/hooks/${nameOf(place)}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${SECRET(nameOf(place))}`,
        ...PAYLOADS[place]?.headers,
      },
      body: JSON.stringify(body),
    });
  const open = () =>
    harness.rows<{ source: string; told: string | null }>(
      `select split_part(substr(subject, 7), '/', 1) as source, told from incidents where closed_at is null and kind = 'alarm'`,
    );

  test('opens one incident for each that fires, tells an admin of it, and opens none for the others', async () => {
    for (const [place, { body }] of PAYLOADS.entries()) {
      const responses = await Promise.all([post(place, body), post(place, body)]);
      expect(responses.map(({ status }) => status)).toEqual([200, 200]);
    }
    const firing = PAYLOADS.flatMap(({ expected }, place) => (expected === 'fires' ? [nameOf(place)] : []));
    expect((await open()).map(({ source }) => source).toSorted()).toEqual(firing.toSorted());
    expect((await open()).filter(({ told }) => told !== PEOPLE.admin)).toEqual([]);
    const lanes = await harness.rows(`select from inbox where kind = 'incident'`);
    expect(lanes).toHaveLength(firing.length);
  });

  test(`answers none of ${POSTED} changed ones by a failure, and tells of no alarm twice`, async () => {
    const random = seeded(73);
    for (let n = 0; n < POSTED; n++) {
      const place = n % PAYLOADS.length;
      const { status } = await post(place, mutate(PAYLOADS[place]?.body, random));
      expect([200, 400], `${PAYLOADS[place]?.name}, mutation ${n}`).toContain(status);
    }
    const doubled = await harness.rows(
      `select subject from incidents where closed_at is null group by subject, kind having count(*) > 1`,
    );
    expect(doubled).toEqual([]);
    // What is unreadable is told once per source, and no alarm waits untold but those of a flood.
    await eventually(
      () => harness.rows(`select from incidents where news is not null`),
      (rows) => rows.length === 0,
    );
    const repeated = await harness.rows(
      `select update_id from inbox where kind = 'incident' group by update_id having count(*) > 1`,
    );
    expect(repeated).toEqual([]);
  }, 120_000);
});
