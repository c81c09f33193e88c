import { delimiter, join } from 'node:path';
import { existsSync } from 'node:fs';
import { fetchProgram, runs, type RunnableProgram } from '../setup/debian-packages.ts';
import { SetupError } from '../setup-error.ts';

const DEBIAN = {
  title: 'Redis',
  packages: ['redis-server', 'redis-tools', 'libjemalloc2', 'liblzf1', 'libatomic1'],
  file: 'usr/bin/redis-server',
};

/**
 * Finds a Redis server: the one unpacked in `binDir`, else Debian's packages unpacked there without root (needs apt, 5 s and 7 MB, once),
 * else redis-server or valkey-server on PATH. Throws SetupError without any.
 */
export async function locateRedis(
  binDir: string,
  path: string,
  report: (line: string) => void,
): Promise<RunnableProgram> {
  const fetched = await fetchProgram(DEBIAN, binDir, report);
  if ('program' in fetched) return fetched.program;
  const folders = path.split(delimiter);
  const installed = ['redis-server', 'valkey-server'].flatMap((name) =>
    folders.map((folder) => ({ file: join(folder, name), env: {} })),
  );
  const program = installed.find((one) => existsSync(one.file) && runs(one));
  if (program) return program;
  throw new SetupError('There is no Redis server on this machine, and none could be fetched.', {
    output: fetched.problem,
    remedy:
      'Check the network for apt-get, or install one (Debian: apt-get install redis-server; macOS: brew install redis), ' +
      'or set REDIS_URL to a Redis 7 or newer.',
  });
}
