import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { readConfigVariables, readExampleVariables } from '../architecture/documents.ts';
import { readSources } from '../architecture/sources.ts';
import { sealingKeyOf } from '../support/secrets-key.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { reportNotRun } from './not-run.ts';
import { runProgram, type Ended } from './program.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** The part of a resolved compose file that is looked at here. */
const Service = z.object({
  profiles: z.array(z.string()).default([]),
  logging: z.object({ options: z.record(z.string(), z.coerce.string()) }).optional(),
  command: z.union([z.string(), z.array(z.string())]).nullish(),
  restart: z.string().optional(),
  healthcheck: z.object({ test: z.unknown().optional(), disable: z.boolean().optional() }).optional(),
  environment: z.record(z.string(), z.union([z.string(), z.number()]).nullable()).default({}),
  depends_on: z.record(z.string(), z.object({ condition: z.string() })).default({}),
  networks: z.record(z.string(), z.unknown()).default({}),
  network_mode: z.string().optional(),
  volumes: z.array(z.unknown()).default([]),
  secrets: z.array(z.object({ source: z.string() })).default([]),
  ports: z.array(z.unknown()).default([]),
  read_only: z.boolean().default(false),
  cap_drop: z.array(z.string()).default([]),
  security_opt: z.array(z.string()).default([]),
  deploy: z.object({ resources: z.object({ limits: z.object({ memory: z.coerce.string() }) }) }),
});
const Project = z.object({
  services: z.record(z.string(), Service),
  networks: z.record(z.string(), z.object({ internal: z.boolean().optional() }).nullable()),
  secrets: z.record(z.string(), z.object({ file: z.string() })).default({}),
});

/** `docker compose config` in a folder that holds the compose file and this .env, and nothing else. */
async function resolveProject(env: string, given: readonly string[] = []): Promise<Ended> {
  const folder = makeTemporaryFolder('compose');
  copyFileSync(join(ROOT, 'docker-compose.yml'), join(folder, 'docker-compose.yml'));
  writeFileSync(join(folder, '.env'), env);
  const options = { cwd: folder, env: { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: folder } };
  const plugin = await runProgram('docker', ['compose', ...given, 'config'], options);
  return plugin.code === 0 || /variable|set it in/.test(plugin.error)
    ? plugin
    : runProgram('docker-compose', [...given, 'config'], options);
}

/** The plugin of newer engines, or Debian's program; null when there is neither. */
async function findCompose(): Promise<readonly string[] | null> {
  for (const words of [['docker', 'compose'], ['docker-compose']])
    if ((await runProgram(words[0] ?? '', [...words.slice(1), 'version'])).code === 0) return words;
  return null;
}

const PASSWORDS = ['DATABASE', 'REDIS'].flatMap((server) =>
  ['GATEWAY', 'WORKER', 'MAINTENANCE', 'AGENTS', 'DEPLOY', 'ANALYSIS'].map((name) => `${server}_PASSWORD_${name}`),
);
const SECRETS = [
  'POSTGRES_PASSWORD=longword',
  'REDIS_PASSWORD=otherword',
  ...PASSWORDS.map((name) => `${name}=of-${name}`),
  'SECRETS_KEY=c2VjcmV0',
  'SECRETS_SEALING_KEY=c2VhbA==',
  'TELEGRAM_BOT_TOKEN=1:abc',
  'TELEGRAM_WEBHOOK_SECRET=webhook-word',
  'WHATSAPP_ACCESS_TOKEN=whatsapp-word',
  'WHATSAPP_APP_SECRET=app-word',
  'TRANSCRIPTION_API_KEY=voice-word',
  'OPENAI_API_KEY=sk-1\n',
].join('\n');
const compose = await findCompose();
if (compose === null)
  reportNotRun('the compose file', 'docker compose is not installed: see tests/containers/install-tools');

const resolved = compose === null ? null : await resolveProject(SECRETS);
if (resolved !== null && resolved.code !== 0) throw new Error(`docker-compose.yml does not resolve: ${resolved.error}`);
const project = Project.parse(resolved === null ? { services: {}, networks: {} } : parse(resolved.out));
/** What runs without a profile. The older compose program lists the others too. */
const services = Object.entries(project.services).filter(([, { profiles }]) => profiles.length === 0);
const withData = ['gateway', 'worker', 'jobs', 'agents', 'deploy', 'analysis'];
const own = [...withData, 'proxy'];
const service = (name: string): z.infer<typeof Service> => {
  const found = project.services[name];
  if (!found) throw new Error(`there is no service ${name}`);
  return found;
};

/** Variables of the job service by what its pools do; `$` ends a whole name. */
const ENGINEERS = ['ENGINEERING_', 'FORGES$', 'HTTPS_PROXY$'];
const MAINTAINS = ['AUDIT_', 'RETENTION_', 'THREAD_IDLE'];
const WORKSPACES = ['WORKSPACE_', 'SANDBOX_'];
const DEPLOYS = [
  'TRAFFIC$',
  'HAPROXY_',
  'PROXY_',
  'DEPLOY_',
  'INCIDENT_',
  'TARGETS_DIR$',
  'REPOSITORIES_DIR$',
  'BASE_IMAGE$',
  'REPOSITORY_PRIVATE_HOSTS$',
  'REPOSITORY_TRUST_DIR$',
  'GITHUB_',
  'GITLAB_',
];
const CONFINES = ['PROCESS_CONFINEMENT$'];

function beginWith(...beginnings: readonly string[]): RegExp {
  return new RegExp(`^(?:${beginnings.join('|')})`);
}

describe.skipIf(compose === null)('docker-compose.yml', () => {
  it('resolves without a warning once both required secrets are set', () => {
    expect(resolved).toMatchObject({ code: 0, error: '' });
    expect(services.map(([name]) => name).toSorted()).toEqual([
      'agents',
      'analysis',
      'deploy',
      'gateway',
      'jobs',
      'loopback',
      'migrate',
      'postgres',
      'proxy',
      'redis',
      'worker',
    ]);
  });

  it('resolves with .env.example as soon as its empty secrets are filled in', async () => {
    const example = readFileSync(join(ROOT, '.env.example'), 'utf8');
    const filled = example.replace(
      /^(POSTGRES_PASSWORD|REDIS_PASSWORD|(?:DATABASE|REDIS)_PASSWORD_\w+|SECRETS_KEY|SECRETS_SEALING_KEY|TELEGRAM_BOT_TOKEN)=$/gm,
      '$1=x',
    );
    expect((await resolveProject(filled)).code).toBe(0);
    expect(readExampleVariables(example)).toContain('POSTGRES_PASSWORD');
  });

  it('resolves with the output of make-env.mjs and the token, and a second run of make-env.mjs only adds missing lines', async () => {
    const folder = makeTemporaryFolder('env');
    copyFileSync(join(ROOT, '.env.example'), join(folder, '.env.example'));
    const make = () => runProgram(process.execPath, [join(ROOT, 'infra/docker/make-env.mjs')], { cwd: folder });
    expect((await make()).code).toBe(0);
    const made = readFileSync(join(folder, '.env'), 'utf8');
    const token = (text: string): string => text.replace(/^TELEGRAM_BOT_TOKEN=$/m, 'TELEGRAM_BOT_TOKEN=1:abc');
    expect((await resolveProject(token(made))).code).toBe(0);
    const drawn = [...made.matchAll(/^(?:[A-Z]+_PASSWORD[A-Z_]*|SECRETS_KEY)=(.+)$/gm)].map(([, value]) => value);
    expect(new Set(drawn).size).toBe(15);
    const value = (name: string): string => new RegExp(`^${name}=(.+)$`, 'm').exec(made)?.[1] ?? '';
    expect(value('SECRETS_SEALING_KEY')).toBe(sealingKeyOf(value('SECRETS_KEY')));
    await make();
    expect(readFileSync(join(folder, '.env'), 'utf8')).toBe(made);
    writeFileSync(join(folder, '.env'), 'POSTGRES_PASSWORD=mine\nTELEGRAM_BOT_TOKEN=1:abc');
    await make();
    const added = readFileSync(join(folder, '.env'), 'utf8');
    expect(added).toMatch(/^POSTGRES_PASSWORD=mine\nTELEGRAM_BOT_TOKEN=1:abc\n/);
    expect((await resolveProject(added)).code).toBe(0);
  });

  it.each([
    'POSTGRES_PASSWORD',
    'REDIS_PASSWORD',
    ...PASSWORDS,
    'SECRETS_KEY',
    'SECRETS_SEALING_KEY',
    'TELEGRAM_BOT_TOKEN',
  ])('refuses to start without %s, and says where to set it', async (name) => {
    const { code, error } = await resolveProject(SECRETS.replace(new RegExp(`^${name}=.*$`, 'm'), ''));
    expect(code).not.toBe(0);
    expect(error).toContain(name);
    expect(error).toContain('set it in .env');
  });

  it('has a health check and a restart policy for every service that keeps running', () => {
    const { migrate, ...running } = Object.fromEntries(
      services.map(([name, { healthcheck, restart }]) => {
        const isOff = healthcheck?.disable === true || String(healthcheck?.test) === 'NONE';
        return [name, [restart, Array.isArray(healthcheck?.test) && !isOff]];
      }),
    );
    expect(migrate).toEqual(['no', false]);
    for (const [name, found] of Object.entries(running))
      expect([name, found]).toEqual([name, ['unless-stopped', true]]);
  });

  it('lets Redis evict no key, and makes Redis store every key on disk', () => {
    const command = [service('redis').command].flat().join(' ');
    expect(command).toContain('--appendonly yes');
    expect(command).toContain('--maxmemory-policy noeviction');
    expect(service('redis').volumes).toHaveLength(1);
    expect(service('postgres').volumes).toHaveLength(1);
  });

  it('starts the services after the migrations, and the migrations after Postgres', () => {
    expect(service('migrate').depends_on).toEqual({
      postgres: { condition: 'service_healthy' },
      redis: { condition: 'service_healthy' },
    });
    for (const name of withData) {
      expect(service(name).depends_on).toMatchObject({
        migrate: { condition: 'service_completed_successfully' },
        postgres: { condition: 'service_healthy' },
        redis: { condition: 'service_healthy' },
      });
    }
  });

  it('gives each secret only to the service that needs it', () => {
    const holders = (name: string): string[] =>
      services.filter(([, { environment }]) => environment[name]).map(([key]) => key);
    for (const name of [
      'TELEGRAM_BOT_TOKEN',
      'TELEGRAM_WEBHOOK_SECRET',
      'WHATSAPP_ACCESS_TOKEN',
      'WHATSAPP_APP_SECRET',
      'TRANSCRIPTION_API_KEY',
    ])
      expect([name, holders(name)]).toEqual([name, ['gateway']]);
    // The nodes of a change of code are models too.
    expect(holders('OPENAI_API_KEY')).toEqual(['analysis', 'worker']);
    expect(holders('POSTGRES_PASSWORD')).toEqual(['postgres']);
    expect(holders('SECRETS_KEY')).toEqual(['deploy']);
    expect(holders('SECRETS_SEALING_KEY')).toEqual(['gateway']);
    expect(holders('DATABASE_URL')).toEqual(['agents', 'analysis', 'deploy', 'gateway', 'jobs', 'migrate', 'worker']);
    for (const name of PASSWORDS) expect(holders(name)).toEqual(['migrate']);
    expect(holders('REDIS_URL')).toEqual(holders('DATABASE_URL'));
    expect(holders('REDISCLI_AUTH')).toEqual(['redis']);
    const users = services.flatMap(([key, { environment }]) => {
      const url = environment['REDIS_URL'] ? new URL(String(environment['REDIS_URL'])) : null;
      return url ? [[key, [url.username, url.password]]] : [];
    });
    expect(Object.fromEntries(users)).toEqual({
      migrate: ['default', 'otherword'],
      gateway: ['gateway', 'of-REDIS_PASSWORD_GATEWAY'],
      worker: ['worker', 'of-REDIS_PASSWORD_WORKER'],
      jobs: ['maintenance', 'of-REDIS_PASSWORD_MAINTENANCE'],
      agents: ['agents', 'of-REDIS_PASSWORD_AGENTS'],
      deploy: ['deploy', 'of-REDIS_PASSWORD_DEPLOY'],
      analysis: ['analysis', 'of-REDIS_PASSWORD_ANALYSIS'],
    });
    const logins = services.flatMap(([key, { environment }]) =>
      environment['DATABASE_URL'] ? [[key, new URL(String(environment['DATABASE_URL'])).username]] : [],
    );
    expect(Object.fromEntries(logins)).toEqual({
      migrate: 'signalbox',
      gateway: 'signalbox_gateway',
      worker: 'signalbox_worker',
      jobs: 'signalbox_maintenance',
      agents: 'signalbox_agents',
      deploy: 'signalbox_deploy',
      analysis: 'signalbox_analysis',
    });
  });

  it('mounts the file of trusted programs only into the gateway, and nothing when no file is configured', async () => {
    const mounted = services.filter(([, { secrets }]) => secrets.length > 0);
    expect(mounted.map(([name, { secrets }]) => [name, secrets.map(({ source }) => source)])).toEqual([
      ['gateway', ['ingress_sources']],
    ]);
    expect(service('gateway').environment['INGRESS_SOURCES_FILE']).toBe('/run/secrets/ingress_sources');
    expect(project.secrets['ingress_sources']?.file).toBe('/dev/null');
    const { out } = await resolveProject(`${SECRETS}INGRESS_SOURCES_FILE=./programs.json\n`);
    expect(Project.parse(parse(out)).secrets['ingress_sources']?.file).toMatch(/programs\.json$/);
  });

  it('runs each job pool in its own service, and lets only the pools for agents, builds and scans create sandboxes', () => {
    const pools = services.map(([name, { environment }]) => [name, environment['JOBS_POOLS']]);
    expect(Object.fromEntries(pools.filter(([, pool]) => pool !== undefined))).toEqual({
      jobs: 'maintenance',
      agents: 'agents',
      deploy: 'deploy',
      analysis: 'analysis',
    });
    const loosened = services.filter(([, { security_opt: options }]) => options.some((one) => /unconfined/.test(one)));
    expect(loosened.map(([name]) => name)).toEqual(['agents', 'analysis', 'deploy']);
    for (const name of own)
      expect([name, service(name).security_opt]).toEqual([name, expect.arrayContaining(['no-new-privileges:true'])]);
    expect(Object.keys(service('agents').networks)).toEqual(['data']);
  });

  it('connects the proxy and deployed programs by a network that survives a restart of either', () => {
    for (const name of ['proxy', 'deploy']) expect(service(name).network_mode).toBe('service:loopback');
    expect(Object.keys(service('proxy').depends_on)).toEqual(['loopback']);
    expect(Object.keys(service('loopback').depends_on)).toEqual([]);
    const shared = (name: string): unknown[] =>
      service(name).volumes.filter((one) => JSON.stringify(one).includes('traffic'));
    expect(shared('proxy')).toEqual(shared('deploy'));
    expect(services.filter(([name]) => shared(name).length > 0).map(([name]) => name)).toEqual(['deploy', 'proxy']);
    const probes = ['proxy', 'deploy'].map((name) => service(name).environment['PROBE_PORT']);
    expect(new Set(probes).size).toBe(2); // of one network
  });

  it('publishes no port, and keeps Postgres and Redis off the outside network', () => {
    expect(services.flatMap(([, { ports }]) => ports)).toEqual([]);
    expect(project.networks['data']?.internal).toBe(true);
    for (const name of ['postgres', 'redis']) expect(Object.keys(service(name).networks)).toEqual(['data']);
  });

  it('lets people in only with a profile: from outside with https, or from this machine alone', async () => {
    const { out } = await resolveProject(SECRETS, ['--profile', 'https', '--profile', 'local']);
    const doors = Object.entries(Project.parse(parse(out)).services).filter(([, { profiles }]) => profiles.length > 0);
    expect(Object.fromEntries(doors.map(([name, { profiles }]) => [name, profiles]))).toEqual({
      https: ['https'],
      local: ['local'],
    });
    const ports = Object.fromEntries(doors.map(([name, one]) => [name, JSON.stringify(one.ports)]));
    expect(ports['https']).toMatch(/80.*443/);
    expect(ports['local']).toContain('127.0.0.1');
    expect(doors.flatMap(([, one]) => Object.keys(one.networks))).toEqual(['outside', 'outside']);
    for (const [name, one] of doors)
      expect([name, one.read_only, one.cap_drop, one.deploy.resources.limits.memory]).toEqual([
        name,
        true,
        ['ALL'],
        expect.stringMatching(/\d/),
      ]);
  });

  it('limits the log of every container', () => {
    for (const [name, { logging }] of Object.entries(project.services))
      expect([name, logging?.options]).toEqual([name, { 'max-size': '10m', 'max-file': '5' }]);
  });

  it('limits the memory of every service, and drops all privileges of Signalbox’s own services', () => {
    for (const [name, { deploy }] of services) expect([name, deploy.resources.limits.memory]).not.toEqual([name, '']);
    for (const name of [...own, 'migrate', 'loopback'])
      expect([name, service(name).read_only, service(name).cap_drop]).toEqual([name, true, ['ALL']]);
  });

  it.each(own)('%s gets every variable that it reads, and no other', (name) => {
    const files = readSources(ROOT);
    const readBy = (...paths: readonly string[]): readonly string[] => [
      ...readConfigVariables(files.filter(({ path }) => paths.includes(path))),
    ];
    const tracing = 'shared/platform/src/tracing/settings.ts';
    // Commands of strangers run in these pools, or their texts are read: their traces go only where no key is asked for.
    const keyless = readBy(tracing).filter((one) => /^OTEL_.*(?<!HEADERS|TIMEOUT)$/.test(one));
    const traced = { proxy: [], agents: keyless, analysis: keyless };
    // What a service reads in files that are not its own. Voice notes and speech are the gateway's.
    const besides: Readonly<Record<string, RegExp>> = {
      worker: /^shared\/(?:models\/src\/(?!transcription\/|speech\/)|planner\/)/,
      analysis: /^shared\/(?:models\/src\/(?!transcription\/|speech\/)|planner\/)/,
      gateway:
        /^(?:services\/gateway\/src\/channels\/\w+\/config\.ts|shared\/models\/src\/(?:transcription|speech)\/settings\.ts)$/,
    };
    const shared = files.map(({ path }) => path).filter((path) => besides[name]?.test(path));
    const policy = name === 'worker' || name === 'gateway' ? ['shared/safety/src/policy/settings.ts'] : [];
    const program = name === 'agents' || name === 'deploy' || name === 'analysis' ? 'jobs' : name;
    const common =
      name === 'proxy' ? ['PROBE_HOST', 'PROBE_PORT', 'LOG_LEVEL'] : readBy('shared/platform/src/config.ts');
    const reads = [
      ...common,
      ...readBy(`services/${program}/src/config.ts`, ...shared, ...policy),
      ...(name === 'proxy' || name === 'agents' || name === 'analysis' ? traced[name] : readBy(tracing)),
    ];
    const given = Object.keys(service(name).environment);
    expect(given.filter((variable) => !reads.includes(variable))).toEqual([]);
    // These have a default that is right in a container: names of its own, files of the image, the size of its pool; and who starts a gateway
    // on a machine of one's own gives it sockets and a key.
    const left = [
      'GATEWAY_HTTP_SOCKETS',
      'WEB_START_KEY',
      'DATABASE_CONNECTIONS',
      'GATEWAY_NAME',
      'WORKER_NAME',
      'DOCS_DIR',
      'README_FILE',
      'POLICY_DIR',
      'SECRETS_KEY_FILE',
      'BWRAP_PATH',
      'BWRAP_LIBRARY_PATH',
    ];
    // What only the other pool of the job service reads, and the key that nobody but the pool that opens secrets may hold.
    const others: Readonly<Record<string, RegExp>> = {
      gateway: /^SECRETS_KEY$/,
      worker: /^SECRETS_KEY$/,
      jobs: beginWith(...ENGINEERS, ...WORKSPACES, ...DEPLOYS, ...CONFINES, 'SECRETS_KEY$', 'OSV_'),
      agents: beginWith(...ENGINEERS, ...MAINTAINS, ...DEPLOYS, ...CONFINES, 'SECRETS_', 'OSV_'),
      deploy: beginWith('ENGINEERING_', 'HTTPS_PROXY$', ...MAINTAINS, ...WORKSPACES, 'OSV_'),
      analysis: beginWith(...MAINTAINS, ...WORKSPACES, ...DEPLOYS, 'SECRETS_'),
    };
    const missing = reads.filter((variable) => !given.includes(variable) && !left.includes(variable));
    expect(missing.filter((variable) => others[name]?.test(variable) !== true)).toEqual([]);
  });
});
