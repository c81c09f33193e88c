import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { z } from 'zod';
import { checkoutPath, programWords } from '../checkout.ts';
import { inheritedEnvironment } from '../config.ts';
import { SetupError } from '../setup-error.ts';

const Answer = z.object({ applied: z.array(z.string()) });
/** A database with years of messages takes its time. */
const MIGRATE_MS = 30 * 60_000;

/**
 * Brings the database up to date as its owner, with `signalbox migrate`: tables, the rights of the services, and what the variables `settings` ask for.
 * No service needs the owner's login afterwards. Returns a line that says what was done. Throws a SetupError with what went wrong.
 */
export async function migrateDatabase(ownerUrl: string, settings: Readonly<Record<string, string>>): Promise<string> {
  const words = programWords('services/cli/src/main.ts');
  const { PATH, HOME } = inheritedEnvironment();
  const env = { PATH, HOME, DATABASE_URL: ownerUrl, ...settings };
  const options = { cwd: checkoutPath(), env, timeout: MIGRATE_MS, encoding: 'utf8' } as const;
  const { applied } = await promisify(execFile)(process.execPath, [...words, 'migrate', '--json'], options).then(
    ({ stdout }) => Answer.parse(JSON.parse(stdout)),
    (cause: unknown) => {
      // What execFile rejects with has the output of the program; its message would repeat the command line.
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
