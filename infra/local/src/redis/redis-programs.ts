import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { downloadProgram, libraryPath } from '../setup/debian-packages.ts';
import { SetupError } from '../setup-error.ts';

/** A redis-server that runs on this machine, and the environment it needs to find its libraries. */
export interface RedisProgram {
  readonly file: string;
  readonly env: Readonly<Record<string, string>>;
}

const DEBIAN = {
  title: 'Redis',
  packages: ['redis-server', 'redis-tools', 'libjemalloc2', 'liblzf1', 'libatomic1'],
  file: 'usr/bin/redis-server',
};

/**
 * Finds a Redis server: the one unpacked in `binDir`, else Debian's packages unpacked there without root (needs apt,
 * about 5 s and 7 MB, once), else redis-server or valkey-server on PATH. Throws a SetupError when there is none.
 */
export async function locateRedis(binDir: string, path: string, report: (line: string) => void): Promise<RedisProgram> {
  const unpacked = unpackedRedis(binDir);
  if (unpacked !== null) return unpacked;
  const problem = await downloadProgram(DEBIAN, binDir, report);
  const program = unpackedRedis(binDir) ?? findOnPath(path);
  if (program !== null) return program;
  throw new SetupError('There is no Redis server on this machine, and none could be fetched.', {
    output: problem ?? 'the downloaded redis-server does not run on this machine',
    remedy:
      'Check the network for apt-get, or install one (Debian: apt-get install redis-server; macOS: brew install redis), ' +
      'or set REDIS_URL to a Redis 7 or newer.',
  });
}

function unpackedRedis(binDir: string): RedisProgram | null {
  const file = join(binDir, DEBIAN.file);
  if (!existsSync(file)) return null;
  const program = { file, env: { LD_LIBRARY_PATH: libraryPath(binDir) } };
  return runs(program) ? program : null;
}

function findOnPath(path: string): RedisProgram | null {
  const candidates = ['redis-server', 'valkey-server'].flatMap((name) =>
    path.split(delimiter).map((folder) => ({ file: join(folder, name), env: {} })),
  );
  return candidates.find(({ file, env }) => isExecutable(file) && runs({ file, env })) ?? null;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function runs(program: RedisProgram): boolean {
  const run = spawnSync(program.file, ['--version'], { env: { ...program.env }, stdio: 'ignore', timeout: 10_000 });
  return run.status === 0;
}
