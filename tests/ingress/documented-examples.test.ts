import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { readSources } from '@signalbox/gateway/channels/ingress/sources';
import { getCheckoutPath } from '@signalbox/local/checkout';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadTestConfig } from '../support/config.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { openIngress, type IngressGateway } from './ingress-gateway.ts';
import { SECRET, tell } from './program.ts';
import { writeSources } from './sources-file.ts';

// What docs/channels/ingress.md prints runs as it is printed.
const run = promisify(execFile);
const PAGE = readFileSync(join(getCheckoutPath(), 'docs/channels/ingress.md'), 'utf8');
const blockOf = (language: string, place = 0): string =>
  [...PAGE.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))][place]?.[1] ?? '';

let ingress: IngressGateway;
beforeAll(async () => void (ingress = await openIngress()));
afterAll(() => ingress.close());

const environment = (): Record<string, string> => ({
  PATH: loadTestConfig().path,
  SIGNALBOX_URL: ingress.ci.url,
  INGRESS_SECRET: SECRET,
});

test('curl and openssl send an event', async () => {
  const { stdout } = await run('bash', ['-euc', blockOf('sh')], { env: environment(), timeout: 30_000 });
  expect(JSON.parse(stdout)).toEqual({ id: expect.stringMatching(/^evt_/) as string, status: 'accepted' });
  expect(await ingress.harness.rows(`select envelope ->> 'text' as text from inbox`)).toEqual([
    { text: 'list the projects' },
  ]);
});

test('curl and openssl read the outcome of an event', async () => {
  const event = await tell(ingress.ci, { text: '/whoami' });
  const env = { ...environment(), event };
  const { stdout } = await run('bash', ['-euc', blockOf('sh', 1)], { env, timeout: 30_000 });
  expect(JSON.parse(stdout)).toMatchObject({ id: event, status: 'answered' });
});

test('curl fails with the error message of the response when the secret is wrong', async () => {
  const env = { ...environment(), INGRESS_SECRET: 'another-secret' };
  await expect(run('bash', ['-euc', blockOf('sh')], { env, timeout: 30_000 })).rejects.toThrow('401');
});

test('the documented client for Node sends its input and prints the answer', async () => {
  const client = blockOf('js');
  expect(client.trimEnd().split('\n').length).toBeLessThanOrEqual(25);
  const file = join(makeTemporaryFolder('ingress-client'), 'client.mjs');
  writeFileSync(file, client);
  const { stdout } = await run(process.execPath, [file, '/whoami'], { env: environment(), timeout: 30_000 });
  expect(stdout).toContain('ingress-ci');
  expect(stdout).toContain('developer');
});

test('the documented file of sources can be loaded once its secrets are filled in', () => {
  const shown = JSON.parse(blockOf('json')) as readonly { readonly name: string; readonly secret: string }[];
  const path = writeSources(shown.map((source, place) => ({ ...source, secret: `${SECRET}${place}` })));
  expect(readSources(path).programs.map(({ name, account, callbacks }) => ({ name, account, callbacks }))).toEqual([
    {
      name: 'ci',
      account: { kind: 'service', name: 'CI', role: 'developer' },
      callbacks: ['https://ci.example.org/signalbox'],
    },
    { name: 'alarms', account: { kind: 'person', userKey: '1001' }, callbacks: [] },
  ]);
});
