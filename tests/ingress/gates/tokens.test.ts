import { spawn } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT, type CryptoKey, type JWTPayload } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openHarness, type Harness } from '../../integration/gateway/harness.ts';
import { loadTestConfig } from '../../support/config.ts';
import { freePort } from '../../support/free-port.ts';
import { eventually } from '../../support/until.ts';
import { post, SECRET, type Program } from '../program.ts';
import { writeSources } from '../sources-file.ts';

// What the token of a job proves. The claims are those of GitHub's and GitLab's documentation.
const COMMIT = '3f2a9c1d'.repeat(5);
const KEY_ID = 'key-1';
let harness: Harness;
let issuer: Server;
let keys: { readonly own: CryptoKey; readonly other: CryptoKey; readonly publicPem: Uint8Array };
let address: string;
let isAway = false;
let program: Program;
/** The address of the gateway, for which tokens have to be made. */
let audience: string;

beforeAll(async () => {
  const own = await generateKeyPair('RS256', { extractable: true });
  const other = await generateKeyPair('RS256', { extractable: true });
  const jwk = await exportJWK(own.publicKey);
  keys = {
    own: own.privateKey,
    other: other.privateKey,
    publicPem: new TextEncoder().encode(String(jwk.n)),
  };
  issuer = createServer((request, response) => {
    const url = new URL(request.url ?? '/', address);
    // What GitHub gives to a job with `permissions: { id-token: write }`.
    if (url.pathname === '/token') {
      const isJob =
        request.headers.authorization === 'Bearer of-the-job' && url.searchParams.get('api-version') === '2.0';
      if (!isJob) return void response.writeHead(401).end();
      void signToken(claimsOf(jobGate), { aud: url.searchParams.get('audience') ?? '' }).then((value) =>
        response.end(JSON.stringify({ count: value.length, value })),
      );
      return undefined;
    }
    if (isAway) return void response.writeHead(503).end();
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ keys: [{ ...jwk, kid: KEY_ID, alg: 'RS256', use: 'sig' }] }));
  });
  await new Promise<void>((resolve) => issuer.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(issuer.address() as AddressInfo).port}`; // it listens on TCP
  harness = await openHarness();
  const port = await freePort();
  audience = `http://127.0.0.1:${port}`;
  await harness.startGateway({
    GATEWAY_CHANNELS: 'ingress',
    GATEWAY_HTTP_PORT: String(port),
    INGRESS_SOURCES_FILE: writeSources([
      { name: 'ci', secret: SECRET, serviceAccount: { name: 'CI', role: 'developer' } },
    ]),
    INGRESS_PUBLIC_URL: `${audience}/`,
    INGRESS_ISSUERS: `github ${address} ${address}/jwks, gitlab ${address}/gitlab ${address}/gitlab/keys, github ${address}/away ${address}/away/keys`,
  });
  program = { url: audience, source: 'ci', secret: SECRET };
});
afterAll(async () => {
  issuer.close();
  await harness.close();
});

let runs = 17_034_512;
const makeGate = () => ({
  repository: 'acme/shop',
  environment: 'production',
  ref: 'main',
  commit: COMMIT,
  run: `${(runs += 1)}:1`,
  actor: 'ada',
});
type Gate = ReturnType<typeof makeGate>;
/** The gate of the job that runs the program. */
let jobGate: Gate;

/** Claims as GitHub documents them. */
const claimsOf = (gate: Gate): JWTPayload => ({
  jti: `${gate.run}-1`,
  sub: `repo:${gate.repository}:environment:${gate.environment}`,
  environment: gate.environment,
  repository: gate.repository,
  ref: 'refs/heads/main',
  sha: gate.commit,
  run_id: gate.run.split(':')[0],
  run_attempt: gate.run.split(':')[1],
  actor: 'ada',
  actor_id: '583231',
  event_name: 'push',
});

interface Signing {
  readonly iss?: string;
  readonly aud?: string;
  readonly age?: number;
  readonly key?: CryptoKey | Uint8Array;
  readonly alg?: string;
}

function signToken(
  claims: JWTPayload,
  { iss = address, aud = audience, age = 0, key = keys.own, alg = 'RS256' }: Signing = {},
) {
  const now = Math.floor(Date.now() / 1_000) - age;
  return new SignJWT(claims)
    .setProtectedHeader({ alg, kid: KEY_ID, typ: 'JWT' })
    .setIssuer(iss)
    .setAudience(aud)
    .setIssuedAt(now)
    .setExpirationTime(now + 300)
    .sign(key);
}

const findProof = async (id: string) =>
  (
    await harness.pool.query<{ accounts: readonly string[]; facts: { unread: readonly string[] } }>(
      `select accounts, facts from gates where event_id = $1`,
      [id],
    )
  ).rows[0];

async function ask(
  gate: Gate,
  token: string,
  key?: string,
): Promise<{ readonly status: number; readonly body: { readonly id?: string; readonly error?: string } }> {
  const response = await post(program, { gate, token }, key === undefined ? {} : { key });
  return { status: response.status, body: (await response.json()) as { id?: string; error?: string } };
}

describe('a token of a job of GitHub', () => {
  test('proves who asks, by the number of the account', async () => {
    const gate = makeGate();
    const { status, body } = await ask(gate, await signToken(claimsOf(gate)));
    expect({ status, body }).toMatchObject({ status: 200, body: { status: 'accepted' } });
    expect(await findProof(body.id ?? '')).toMatchObject({ accounts: ['github-583231'], facts: { unread: [] } });
  });

  test('of a later attempt does not prove who started it', async () => {
    const gate = { ...makeGate(), actor: 'mallory' };
    gate.run = gate.run.replace(':1', ':2');
    const { body } = await ask(gate, await signToken(claimsOf(gate)));
    expect(await findProof(body.id ?? '')).toMatchObject({ accounts: ['github-583231'], facts: { unread: ['run'] } });
  });

  const forged: readonly (readonly [string, string, (gate: Gate) => Promise<string> | string])[] = [
    ['another audience', 'aud', (gate) => signToken(claimsOf(gate), { aud: 'https://elsewhere.example' })],
    ['another repository', 'repository', (gate) => signToken({ ...claimsOf(gate), repository: 'evil/shop' })],
    ['another environment', 'environment', (gate) => signToken({ ...claimsOf(gate), environment: 'staging' })],
    ['another run', 'run_id', (gate) => signToken({ ...claimsOf(gate), run_id: '1' })],
    ['another attempt', 'run_id', (gate) => signToken({ ...claimsOf(gate), run_attempt: '2' })],
    ['another commit', 'sha', (gate) => signToken({ ...claimsOf(gate), sha: '0'.repeat(40) })],
    ['another branch', 'ref', (gate) => signToken({ ...claimsOf(gate), ref: 'refs/heads/evil' })],
    ['another person', 'actor', (gate) => signToken({ ...claimsOf(gate), actor: 'mallory' })],
    ['an issuer that nobody configured', 'iss', (gate) => signToken(claimsOf(gate), { iss: 'https://evil.example' })],
    ['the other configured issuer', 'project_path', (gate) => signToken(claimsOf(gate), { iss: `${address}/gitlab` })],
    ['a key of somebody else', 'signature', (gate) => signToken(claimsOf(gate), { key: keys.other })],
    ['an end that has passed', 'exp', (gate) => signToken(claimsOf(gate), { age: 400 })],
    ['a beginning that is to come', 'iat', (gate) => signToken(claimsOf(gate), { age: -4_000 })],
    ['the public key as a password', 'alg', (gate) => signToken(claimsOf(gate), { key: keys.publicPem, alg: 'HS256' })],
    ['no signature', 'alg', (gate) => new UnsecuredJWT(claimsOf(gate)).setIssuer(address).setAudience(audience).setIssuedAt().setExpirationTime('5m').encode()], // prettier-ignore
    ['no account', 'actor_id', (gate) => signToken({ ...claimsOf(gate), actor_id: undefined })],
    ['no form', 'iss', () => 'a.b.c'],
  ];
  test.each(forged)('with %s is refused by its claim %s', async (_, claim, make) => {
    const gate = makeGate();
    const { status, body } = await ask(gate, await make(gate));
    expect(status).toBe(400);
    expect(body.error).toContain(claim);
    expect(
      (await harness.pool.query(`select 1 from inbox where envelope -> 'gate' ->> 'run' = $1`, [gate.run])).rowCount,
    ).toBe(0);
  });

  test('that is sent again asks once, also a new one for the same run', async () => {
    const gate = makeGate();
    const first = await ask(gate, await signToken(claimsOf(gate)), 'the-run');
    const again = await ask(gate, await signToken({ ...claimsOf(gate), jti: 'another' }), 'the-run');
    expect(again).toEqual(first);
    const copied = await ask(gate, await signToken({ ...claimsOf(gate), jti: 'a third' }), 'another-key');
    expect(copied.status).toBe(409);
    expect(copied.body.error).toContain(first.body.id);
    expect(
      (await harness.pool.query(`select 1 from inbox where envelope -> 'gate' ->> 'run' = $1`, [gate.run])).rowCount,
    ).toBe(1);
  });

  test('is fetched by the program of docs/gates.md, for the address of the gateway', async () => {
    jobGate = makeGate();
    const child = spawn(process.execPath, ['infra/gate/gate.mjs'], {
      env: {
        PATH: loadTestConfig().path,
        SIGNALBOX_URL: program.url,
        SIGNALBOX_SOURCE: program.source,
        SIGNALBOX_SECRET: program.secret,
        GATE_ENVIRONMENT: jobGate.environment,
        GITHUB_REPOSITORY: jobGate.repository,
        GITHUB_REF_NAME: jobGate.ref,
        GITHUB_SHA: jobGate.commit,
        GITHUB_RUN_ID: jobGate.run.split(':')[0],
        GITHUB_RUN_ATTEMPT: '1',
        GITHUB_TRIGGERING_ACTOR: jobGate.actor,
        ACTIONS_ID_TOKEN_REQUEST_URL: `${address}/token?api-version=2.0`,
        ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'of-the-job',
      },
    });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (said += text.toString()));
    await eventually(
      () => Promise.resolve(said),
      (text) => text.includes('asks to deploy'),
      20_000,
    );
    child.kill();
    expect(await findProof(/evt_\w+/.exec(said)?.[0] ?? '')).toMatchObject({ accounts: ['github-583231'] });
  });

  test('waits for the issuer when its keys cannot be loaded', async () => {
    const gate = makeGate();
    isAway = true;
    const response = await post(program, { gate, token: await signToken(claimsOf(gate), { iss: `${address}/away` }) });
    isAway = false;
    expect(response.status).toBe(503);
  });
});

describe('a token of a job of GitLab', () => {
  test('proves who asks, by the number of the account', async () => {
    const gate = { ...makeGate(), repository: 'acme/tools/shop', run: '4711' };
    const claims = {
      sub: 'project_path:acme/tools/shop:ref_type:branch:ref:main',
      project_path: 'acme/tools/shop',
      ref: 'main',
      sha: COMMIT,
      job_id: '4711',
      user_login: 'ada',
      user_id: '7',
    };
    const { status, body } = await ask(gate, await signToken(claims, { iss: `${address}/gitlab`, age: 400 }));
    expect({ status, body }).toMatchObject({ status: 400, body: { error: expect.stringContaining('exp') } });
    const fresh = await ask(gate, await signToken(claims, { iss: `${address}/gitlab` }));
    expect(await findProof(fresh.body.id ?? '')).toMatchObject({ accounts: ['gitlab-7'] });
  });
});
