import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { z } from 'zod';
import { getCheckoutPath, buildProgramArgs } from '../checkout.ts';
import { getInheritedEnvironment } from '../config.ts';
import { SetupError } from '../setup-error.ts';

const MigrateResult = z.object({ applied: z.array(z.string()) });
/** Long enough for a database with years of messages. */
const MIGRATE_TIMEOUT_MS = 30 * 60_000;

/**
 * Runs `signalbox migrate` as the owner of the database, with the variables `settings`. Creates tables and the rights of services.
 * Returns a line for the terminal. Throws SetupError.
 */
export async function migrateDatabase(ownerUrl: string, settings: Readonly<Record<string, string>>): Promise<string> {
  const args = buildProgramArgs('services/cli/src/main.ts');
  const { PATH, HOME } = getInheritedEnvironment();
  const env = { PATH, HOME, DATABASE_URL: ownerUrl, ...settings };
  const options = { cwd: getCheckoutPath(), env, timeout: MIGRATE_TIMEOUT_MS, encoding: 'utf8' } as const;
  const { applied } = await promisify(execFile)(process.execPath, [...args, 'migrate', '--json'], options).then(
    ({ stdout }) => MigrateResult.parse(JSON.parse(stdout)),
    (cause: unknown) => {
      // The error of execFile has the output as fields; its message only repeats the command line.
      const { stdout = '', stderr = '' } = cause as { readonly stdout?: string; readonly stderr?: string };
      throw new SetupError('The database could not be brought up to date.', {
        output: `${stdout}${stderr}`,
        remedy: 'Nothing was changed. Mend what it says, then start again.',
        cause,
      });
    },
  );
  return applied.length > 0 ? `database brought up to date (${applied.length} migrations)` : 'database is up to date';
}
