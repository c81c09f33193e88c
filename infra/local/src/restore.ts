import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { buildProgramArgs } from './checkout.ts';
import { getInheritedEnvironment, loadLocalConfig } from './config.ts';
import { describeError } from './describe-error.ts';
import { startPostgres } from './postgres/postgres.ts';
import { takeInstanceLock } from './supervisor/instance.ts';

// `npm run signalbox -- restore …` while nothing runs: starts the Postgres of the data folder for the time of the command.

try {
  process.exitCode = await run(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`\n${describeError(error)}\n`);
  process.exitCode = 1;
}

async function run(args: readonly string[]): Promise<number> {
  const { DATABASE_URL: given, SIGNALBOX_DATA_DIR: folder, AGENTS } = loadLocalConfig();
  const dataDir = resolve(folder);
  if (given !== undefined) return runCommandLine(args, { AGENTS });
  const unlock = takeInstanceLock(dataDir);
  try {
    const postgres = await startPostgres({ dir: resolve(dataDir, 'postgres') });
    try {
      return await runCommandLine(args, { AGENTS, DATABASE_URL: postgres.url, SIGNALBOX_DATA_DIR: dataDir });
    } finally {
      await postgres.stop();
    }
  } finally {
    unlock();
  }
}

/** Runs the command line in the foreground. The terminal sends Ctrl-C to it too, so this process only waits for its end. */
async function runCommandLine(args: readonly string[], settings: Readonly<Record<string, string>>): Promise<number> {
  const ignore = (): void => undefined;
  process.on('SIGINT', ignore);
  const env = { ...getInheritedEnvironment(), ...settings };
  const program = buildProgramArgs('services/cli/src/main.ts');
  const child = spawn(process.execPath, [...program, ...args], { env, stdio: 'inherit' });
  await once(child, 'exit');
  process.off('SIGINT', ignore);
  return child.exitCode ?? 1;
}
