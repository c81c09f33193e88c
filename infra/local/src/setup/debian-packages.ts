import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { getInheritedEnvironment } from '../config.ts';

export interface DebianProgram {
  /** Name in messages, such as `Redis`. */
  readonly title: string;
  /** Packages to download: the program and the libraries that a minimal Debian 12 or 13 lacks. */
  readonly packages: readonly string[];
  /** Path of the program within the unpacked packages. */
  readonly file: string;
}

/** A program and the environment variables that it needs to find its libraries. */
export interface RunnableProgram {
  readonly file: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Returns the program in `binDir`, first downloading it with apt if needed (seconds, without root); otherwise the `problem`. */
export async function fetchProgram(
  debian: DebianProgram,
  binDir: string,
  report: (line: string) => void,
): Promise<{ readonly program: RunnableProgram } | { readonly problem: string }> {
  const unpacked = findUnpacked(debian, binDir);
  if (unpacked !== null) return { program: unpacked };
  const problem = await downloadProgram(debian, binDir, report);
  const program = findUnpacked(debian, binDir);
  return program
    ? { program }
    : { problem: problem ?? `the downloaded ${basename(debian.file)} does not run on this machine` };
}

/** True when the program starts on this machine. */
export function canRun({ file, env }: RunnableProgram): boolean {
  return spawnSync(file, ['--version'], { env: { ...env }, stdio: 'ignore', timeout: 10_000 }).status === 0;
}

function findUnpacked({ file }: DebianProgram, binDir: string): RunnableProgram | null {
  const program = { file: join(binDir, file), env: { LD_LIBRARY_PATH: libraryPath(binDir) } };
  return existsSync(program.file) && canRun(program) ? program : null;
}

/** A hanging mirror must not block the start. */
const APT_TIMEOUT_MS = 180_000;

/**
 * Downloads a program with apt-get and unpacks it into `target`, without root. Safe to call concurrently: each process has its own
 * folder, and the first rename wins. Returns null on success, otherwise the reason.
 */
async function downloadProgram(
  program: DebianProgram,
  target: string,
  report: (line: string) => void,
): Promise<string | null> {
  if ((await run('apt-get', ['--version'])).failed) return 'apt-get is not installed: this is not a Debian system';
  report(`fetching ${program.title} from the Debian packages (once, a few seconds)`);
  const work = `${resolve(target)}.${process.pid}`; // absolute, because apt resolves relative paths from its own root
  rmSync(work, { recursive: true, force: true });
  for (const folder of ['state/lists/partial', 'cache/archives/partial', 'debs', 'root']) {
    mkdirSync(join(work, folder), { recursive: true });
  }
  // A program that is already here does not run on this machine, for example after an upgrade of the system.
  if (existsSync(target)) renameSync(target, join(work, 'unusable'));
  try {
    const problem = await fetchInto(work, program);
    if (problem === null) renameSync(join(work, 'root'), target);
    return problem;
  } catch (error) {
    if (existsSync(join(target, program.file))) return null; // another process has just installed the program
    return error instanceof Error ? error.message : String(error);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Lists folders of shared libraries below `root`. A name such as `x86_64-linux-gnu` depends on the machine. */
function libraryPath(root: string): string {
  const folders = ['usr/lib', 'lib'].map((name) => join(root, name)).filter((folder) => existsSync(folder));
  const nested = folders.flatMap((folder) =>
    readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && entry.name.includes('-linux-'))
      .map((entry) => join(folder, entry.name)),
  );
  return [...nested, ...folders].join(':');
}

/** Guesses the Debian packages of a shared library: libssl.so.3 is in libssl3 or libssl3t64. */
export function guessPackages(library: string): readonly string[] {
  const match = /^(lib.+?)\.so\.([\d.]+)$/.exec(library);
  if (match === null) return [];
  const [, name = '', version = ''] = match;
  const stem = name.toLowerCase().replaceAll('_', '-');
  const major = version.split('.')[0] ?? version;
  const joined = /\d$/.test(stem) ? `${stem}-${major}` : `${stem}${major}`;
  return [joined, `${joined}t64`];
}

async function fetchInto(work: string, program: DebianProgram): Promise<string | null> {
  const update = await apt(work, 'apt-get', ['-q', 'update']);
  if (update.failed) return describe('apt-get update', update);
  const problem = await download(work, program.packages);
  if (problem !== null) return problem;
  // A newer Debian may have moved a library to a package of its own, which is downloaded too.
  for (let round = 0; round < 3; round += 1) {
    const missing = await missingLibraries(join(work, 'root'), program);
    if (missing.length === 0) return null;
    const wanted = await keepKnown(work, missing.flatMap(guessPackages));
    if (wanted.length === 0) return `${program.title} needs ${missing.join(', ')}, which no known package holds`;
    const failed = await download(work, wanted);
    if (failed !== null) return failed;
  }
  return `${program.title} still misses ${(await missingLibraries(join(work, 'root'), program)).join(', ')}`;
}

async function download(work: string, packages: readonly string[]): Promise<string | null> {
  const debs = join(work, 'debs');
  let fetched = await apt(work, 'apt-get', ['-q', 'download', ...packages], debs);
  // apt downloads nothing when it does not know one of the packages.
  const known = fetched.failed ? await keepKnown(work, packages) : packages;
  if (known.length < packages.length) fetched = await apt(work, 'apt-get', ['-q', 'download', ...known], debs);
  if (fetched.failed) return describe('apt-get download', fetched);
  for (const file of readdirSync(debs)) {
    const unpacked = await run('dpkg', ['-x', join(debs, file), join(work, 'root')]);
    if (unpacked.failed) return describe(`dpkg -x ${file}`, unpacked);
  }
  return null;
}

/** Returns the packages that exist in this Debian release. */
async function keepKnown(work: string, packages: readonly string[]): Promise<readonly string[]> {
  const known: string[] = [];
  for (const name of packages) {
    if (!(await apt(work, 'apt-cache', ['show', '--no-all-versions', name])).failed) known.push(name);
  }
  return known;
}

async function missingLibraries(root: string, program: DebianProgram): Promise<readonly string[]> {
  const ldd = await run('ldd', [join(root, program.file)], { LD_LIBRARY_PATH: libraryPath(root) });
  const lines = ldd.output.split('\n').filter((line) => line.includes('not found'));
  return [...new Set(lines.map((line) => line.trim().split(' ')[0] ?? ''))].filter((name) => name.startsWith('lib'));
}

/** Runs apt with its own package lists, which needs no root. As root, apt must stay root, because its sandbox user cannot write here. */
function apt(work: string, program: string, args: readonly string[], cwd = work): Promise<RunResult> {
  const settings = {
    'Dir::State': join(work, 'state'),
    'Dir::State::status': '/var/lib/dpkg/status',
    'Dir::Cache': join(work, 'cache'),
    'Debug::NoLocking': '1',
    'APT::Sandbox::User': 'root',
    'Acquire::Languages': 'none',
    'Acquire::Retries': '2',
    'Acquire::http::Timeout': '30',
    'Acquire::https::Timeout': '30',
    'Acquire::IndexTargets::deb::Contents-deb::DefaultEnabled': 'false',
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
  return run(program, [...flags, ...args], {}, cwd);
}

interface RunResult {
  readonly failed: boolean;
  readonly output: string;
}

function run(
  program: string,
  args: readonly string[],
  env: Record<string, string> = {},
  cwd = '/',
): Promise<RunResult> {
  const options = { env: { ...getInheritedEnvironment(), LC_ALL: 'C', ...env }, cwd, timeout: APT_TIMEOUT_MS };
  return new Promise((done) => {
    execFile(program, [...args], options, (error, stdout, stderr) => {
      // Without output, the program did not start or timed out.
      const output = `${stdout}${stderr}` || (error?.message ?? '');
      done({ failed: error !== null, output });
    });
  });
}

function describe(what: string, result: RunResult): string {
  return `${what} failed:\n${result.output}`;
}
