import { z } from 'zod';
import { parseJson } from '@signalbox/contracts/system-error';

/** How the package manager of a project fetches its packages and runs its scripts. */
export interface NodeCommands {
  readonly install: readonly string[];
  run(script: string): string[];
}

const Named = z.object({ packageManager: z.string() });
/** The newest versions of the package managers whose lock files name none. */
const VERSIONS = { pnpm: '10', yarn: '1.22.22', berry: '4' } as const;
/** A folder `node_modules` is what programs are started with; Yarn's own way needs Yarn at the start too. */
const BERRY = ['env', 'YARN_NODE_LINKER=node-modules', 'npx', '--yes'];

/**
 * Finds the package manager that a project names in its package.json, else the one of its lock file. npm fetches those that Node does not
 * bring along. Pure.
 */
export function findNodeCommands({
  names,
  packageJson,
}: {
  readonly names: ReadonlySet<string>;
  readonly packageJson: string | null;
}): NodeCommands {
  const named = Named.safeParse(parseJson(packageJson ?? '')).data?.packageManager ?? '';
  const [, name = findByLock(names), version] = /^(npm|pnpm|yarn)@(\d[\w.-]{0,60})/.exec(named) ?? [];
  if (name === 'pnpm') {
    const start = ['npx', '--yes', `pnpm@${version ?? VERSIONS.pnpm}`];
    const lock = names.has('pnpm-lock.yaml') ? '--frozen-lockfile' : '--no-frozen-lockfile';
    return { install: [...start, 'install', lock], run: (script) => [...start, 'run', script] };
  }
  if (name === 'yarn') {
    const isBerry = version === undefined ? names.has('.yarnrc.yml') : !/^[01]\./.test(version);
    const start = isBerry
      ? [...BERRY, `@yarnpkg/cli-dist@${version ?? VERSIONS.berry}`]
      : ['npx', '--yes', `yarn@${version ?? VERSIONS.yarn}`];
    const lock = isBerry ? '--immutable' : '--frozen-lockfile';
    const isLocked = names.has('yarn.lock');
    return { install: [...start, 'install', ...(isLocked ? [lock] : [])], run: (script) => [...start, 'run', script] };
  }
  const isLocked = names.has('package-lock.json') || names.has('npm-shrinkwrap.json');
  return {
    install: ['npm', isLocked ? 'ci' : 'install'],
    run: (script) => (script === 'test' ? ['npm', 'test'] : ['npm', 'run', script]),
  };
}

function findByLock(names: ReadonlySet<string>): string {
  if (names.has('package-lock.json') || names.has('npm-shrinkwrap.json')) return 'npm';
  if (names.has('pnpm-lock.yaml')) return 'pnpm';
  return names.has('yarn.lock') ? 'yarn' : 'npm';
}
