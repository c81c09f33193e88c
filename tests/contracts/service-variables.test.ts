import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LocalConfig } from '@signalbox/local/config';
import { prepareKeyFiles } from '@signalbox/local/setup/key-files';
import { planServices } from '@signalbox/local/supervisor/programs';
import { getCheckoutPath } from '@signalbox/local/checkout';
import { pickEnvironment, SERVICE_VARIABLES, type LocalService } from '@signalbox/local/supervisor/service-variables';
import { CommonConfig, SecretsConfig } from '@signalbox/platform/config';
import { ModelConfig } from '@signalbox/models/settings';
import { PolicyConfig } from '@signalbox/safety/policy/settings';
import { expect, test } from 'vitest';

const SPREAD = { CommonConfig, SecretsConfig, ModelConfig, PolicyConfig };
const CONFIGS: Readonly<Record<string, readonly LocalService[]>> = {
  'services/gateway/src/config.ts': ['gateway'],
  'services/worker/src/config.ts': ['worker'],
  'services/proxy/src/config.ts': ['proxy'],
  'services/jobs/src/config.ts': ['maintenance', 'agents', 'deploy', 'analysis'],
  'infra/telegram-simulator/src/config.ts': ['simulator'],
};

/** The variables of a config.ts: those that it writes down, and those of the schemas that it spreads or extends. */
function variablesOf(file: string): readonly string[] {
  const source = readFileSync(join(getCheckoutPath(), file), 'utf8');
  const own = [...source.matchAll(/^ {2}([A-Z][A-Z0-9_]+):/gm)].map(([, name = '']) => name);
  const spread = Object.entries(SPREAD).filter(([name]) => new RegExp(`\\b${name}\\.(?:extend|shape)`).test(source));
  return [...own, ...spread.flatMap(([, schema]) => Object.keys(schema.shape))];
}

test.each(Object.entries(CONFIGS))(
  'every variable that %s reads reaches its service with `npm start`',
  (file, services) => {
    const variables = variablesOf(file);
    expect(variables.length).toBeGreaterThan(2);
    const reaching = new Set(services.flatMap((service) => SERVICE_VARIABLES[service]));
    // One that is missing belongs into the schema of which infra/local/src/supervisor/service-variables.ts takes the names.
    expect(variables.filter((name) => !reaching.has(name))).toEqual([]);
  },
);

test('no secret reaches a service that does not read it', () => {
  const holders = (name: string): readonly string[] =>
    Object.entries(SERVICE_VARIABLES).flatMap(([service, names]) => (names.includes(name) ? [service] : []));
  expect(holders('TELEGRAM_BOT_TOKEN')).toEqual(['gateway']);
  expect(holders('TELEGRAM_WEBHOOK_SECRET')).toEqual(['gateway']);
  expect(holders('SECRETS_KEY')).toEqual(['deploy']);
  expect(holders('SECRETS_SEALING_KEY')).toEqual(['gateway']);
  expect(holders('SECRETS_KEY_FILE')).toEqual(['deploy']);
  expect(holders('AUDIT_KEY_FILE')).toEqual(['maintenance']);
  expect(holders('PROXY_SOCKET')).toEqual(['proxy', 'deploy']);
  expect(holders('OPENAI_API_KEY')).toEqual(['worker', 'analysis']);
  expect(holders('OPENAI_API_KEY_FILE')).toEqual(['worker', 'analysis']);
  expect(holders('WHATSAPP_APP_SECRET_FILE')).toEqual(['gateway']);
  expect(holders('DATABASE_URL')).toEqual(['gateway', 'worker', 'maintenance', 'agents', 'deploy', 'analysis']);
});

test('the room of a sandbox reaches the commands of people and the checks of changes', () => {
  expect(SERVICE_VARIABLES.agents).toContain('SANDBOX_TMP_MB');
  expect(SERVICE_VARIABLES.analysis).toContain('SANDBOX_TMP_MB');
});

test('every secret that reaches a service may reach it as a file', () => {
  for (const service of Object.keys(SERVICE_VARIABLES) as LocalService[]) {
    if (service === 'simulator') continue; // it holds none
    const names = SERVICE_VARIABLES[service];
    const secrets = names.filter((name) => /(?:TOKEN|KEY|SECRET|PASSWORD|DATABASE_URL|REDIS_URL)$/.test(name));
    expect(secrets.filter((name) => !names.includes(`${name}_FILE`))).toEqual([]);
  }
});

test('for one variable, a later value replaces an earlier file, and a later file an earlier value', () => {
  const [file, value] = [{ DATABASE_URL_FILE: '/run/url' }, { DATABASE_URL: 'postgres://x' }];
  expect(pickEnvironment('worker', file)).toMatchObject(file);
  expect(pickEnvironment('worker', file, value)).toMatchObject({ ...value, DATABASE_URL_FILE: undefined });
  expect(pickEnvironment('worker', value, file)).toMatchObject({ ...file, DATABASE_URL: undefined });
  const both = { ...file, ...value }; // the service refuses them
  expect(pickEnvironment('worker', both)).toMatchObject(both);
});

test('a variable that no configuration names, or that loads code, reaches no service', () => {
  const given = { NODE_OPTIONS: '--import=/tmp/x.mjs', LD_PRELOAD: '/tmp/x.so', CLOUD_TOKEN: 'x', PATH: '/bin' };
  for (const service of Object.keys(SERVICE_VARIABLES) as LocalService[]) {
    const environment = pickEnvironment(service, given);
    expect(environment).toMatchObject({ PATH: '/bin' });
    for (const name of ['NODE_OPTIONS', 'LD_PRELOAD', 'CLOUD_TOKEN']) expect(environment).not.toHaveProperty(name);
  }
});

test('two workers of `npm start` have different names', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'workers-'));
  try {
    const config = LocalConfig.parse({ SIGNALBOX_DATA_DIR: dataDir, SIGNALBOX_WORKERS: 2 });
    const loginOf = () => ({ DATABASE_URL: 'postgres://x', REDIS_URL: 'redis://x' });
    const parts = { loginOf, keys: prepareKeyFiles(dataDir), simulatorUrl: 'http://127.0.0.1:1' };
    const specs = await planServices(config, parts, {});
    const workers = specs.filter(({ main }) => main.includes('/worker/'));
    expect(workers.map(({ env }) => env['WORKER_NAME'])).toEqual(['worker-1', 'worker-2']);
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
});
