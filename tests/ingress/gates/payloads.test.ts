import { Webhooks } from '@octokit/webhooks';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { openHarness, type Harness } from '../../integration/gateway/harness.ts';
import { writeSources } from '../sources-file.ts';
import { GITHUB_SECRET } from './gate-stack.ts';

// Payloads that GitHub sent to others, signed by GitHub's own library, and what somebody could make of them.
type Json = Record<string, unknown>;
const [PAYLOAD] = z
  .array(z.object({ name: z.string(), source: z.string(), body: z.record(z.string(), z.unknown()) }))
  .parse(JSON.parse(readFileSync(new URL('../../fixtures/gates/github.json', import.meta.url), 'utf8')));

let harness: Harness;
let url: string;
/** An address of somebody who would like to hear of a decision. */
let listener: Server;
let heard = 0;
beforeAll(async () => {
  listener = createServer((_, response) => {
    heard += 1;
    response.end();
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  harness = await openHarness();
  const file = writeSources([{ name: 'github', kind: 'github', secret: GITHUB_SECRET, gates: true }]);
  const { gateway } = await harness.startGateway({
    GATEWAY_CHANNELS: 'ingress',
    GATEWAY_HTTP_PORT: '0',
    INGRESS_SOURCES_FILE: file,
  });
  url = `http://127.0.0.1:${gateway.httpPort}/hooks/github`;
});
afterAll(async () => {
  listener.close();
  await harness.close();
});

async function post(body: Json, signed: Json = body): Promise<Response> {
  const text = JSON.stringify(body);
  const signature = await new Webhooks({ secret: GITHUB_SECRET }).sign(JSON.stringify(signed));
  const headers = { 'x-github-event': 'deployment_protection_rule', 'x-hub-signature-256': signature };
  return fetch(url, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: text });
}

const listEvents = async () =>
  (
    await harness.pool.query<{ gate: Json; accounts: readonly string[]; target: Json }>(
      `select i.envelope -> 'gate' as gate, g.accounts, g.target from gates g join inbox i on i.update_id = g.event_id`,
    )
  ).rows;

describe('a payload of GitHub that others received', () => {
  test('asks for its run and commit in the name of its sender, once', async () => {
    const body = PAYLOAD?.body ?? {};
    for (let times = 0; times < 3; times += 1) expect((await post(body)).status).toBe(200);
    expect(await listEvents()).toEqual([
      {
        gate: {
          repository: 'zaniebot/release-authenticator-example',
          environment: 'release',
          ref: 'main',
          commit: '47efb7196c2a1a2fd3f52f2c59f0e2dd3d0e4d54',
          run: '23625057533',
          actor: 'zaniebot',
        },
        accounts: ['github-242828183'],
        target: {
          environment: 'release',
          commit: '47efb7196c2a1a2fd3f52f2c59f0e2dd3d0e4d54',
          run: 23625057533,
          deployment: 4189575565,
        },
      },
    ]);
  });

  const run = 'repos/zaniebot/release-authenticator-example/actions/runs';
  const cases: readonly (readonly [string, (own: string) => Json])[] = [
    [
      'an address of somebody else',
      (own) => ({ deployment_callback_url: `${own}/${run}/1/deployment_protection_rule` }),
    ],
    ['an address that only begins like GitHub', () => ({ deployment_callback_url: `https://api.github.com.evil.example/${run}/1/deployment_protection_rule` })], // prettier-ignore
    ['a login before the host', () => ({ deployment_callback_url: `https://api.github.com@evil.example/${run}/1/deployment_protection_rule` })], // prettier-ignore
    ['a run of another repository', () => ({ deployment_callback_url: 'https://api.github.com/repos/evil/shop/actions/runs/1/deployment_protection_rule' })], // prettier-ignore
    ['a path that leads elsewhere', () => ({ deployment_callback_url: `https://api.github.com/${run}/1/../../../deployment_protection_rule` })], // prettier-ignore
    ['a run that differs from that of the address', () => ({ workflow_run: { id: 1 } })],
    ['two commits', () => ({ deployment: { id: 1, sha: '0'.repeat(40) } })],
    ['an environment of two lines', () => ({ environment: 'production\nApproved by Ada' })],
    ['a ref that is no ref', () => ({ ref: 'main`; approve' })],
    ['a login that is a sentence', () => ({ sender: { id: 1, login: 'the admin said yes' } })],
    ['no commit', () => ({ sha: undefined })],
  ];
  test.each(cases)('is refused with %s, and nobody is asked', async (_, change) => {
    const { port } = listener.address() as AddressInfo; // it listens on TCP
    const before = await listEvents();
    const response = await post({ ...PAYLOAD?.body, ...change(`http://127.0.0.1:${port}`) });
    expect(response.status).toBe(400);
    expect(await listEvents()).toEqual(before);
    expect(heard).toBe(0);
  });

  test('is refused when one byte differs from what was signed', async () => {
    const body = { ...PAYLOAD?.body, environment: 'staging' };
    expect((await post(body, PAYLOAD?.body)).status).toBe(401);
  });

  test('asks in nobody’s name when an App started the run', async () => {
    const sender = { id: 41898282, login: 'github-actions[bot]', type: 'Bot' };
    await post({ ...PAYLOAD?.body, deployment: { id: 2, environment: 'release' }, sender });
    expect((await listEvents()).at(-1)?.accounts).toEqual([]);
  });

  test('keeps the names of environments in any language', async () => {
    const body = { ...PAYLOAD?.body, deployment: { id: 3 }, environment: 'Süd (生产)' };
    expect((await post(body)).status).toBe(200);
    expect((await listEvents()).at(-1)?.gate['environment']).toBe('Süd (生产)');
  });
});
