import { z } from 'zod';
import { parseJson } from '@signalbox/contracts/system-error';

/** How the package manager of a project fetches its packages and runs its scripts. */
export interface NodeCommands {
  readonly install: readonly string[];
  run(script: string): string[];
  /** Replaces a package manager at the beginning of a shell line by the one that is fetched. */
  translate(line: string): string;
}

const Named = z.object({ packageManager: z.string() });
/** The newest versions of the package managers whose lock files name none. */
const VERSIONS = { pnpm: '10', yarn: '1.22.22', berry: '4', bun: '1' } as const;
const NPX = ['npx', '--yes'];
/** A folder `node_modules` is what programs are started with; Yarn's own way needs Yarn at the start too. */
const BERRY = ['env', 'YARN_NODE_LINKER=node-modules', ...NPX];

const MANAGERS = ['npm', 'pnpm', 'yarn', 'bun'] as const;
type ManagerName = (typeof MANAGERS)[number];

interface RootNames {
  readonly names: ReadonlySet<string>;
  readonly packageJson: string | null;
}

/**
 * Finds the package manager that a project names in its package.json, else the one of its lock file. npm fetches those that Node does not
 * bring along. Pure.
 */
export function findNodeCommands(root: RootNames): NodeCommands {
  const { names } = root;
  const { name, version } = findManager(root);
  const runner = getRunner(root, name);
  const isLocked = LOCKS[name].some((lock) => names.has(lock));
  const install =
    name === 'npm'
      ? ['npm', isLocked ? 'ci' : 'install']
      : [...runner, 'install', ...getFrozen(name, isLocked, isBerryOf(names, version))];
  return {
    install,
    run: (script) => (script === 'test' && name === 'npm' ? ['npm', 'test'] : [...runner, 'run', script]),
    translate: (line) =>
      line.replace(/^(?:pnpm|yarn|bun)(?= |$)/, (called) => {
        const manager = MANAGERS.find((one) => one === called);
        return manager === undefined ? called : getRunner(root, manager).join(' ');
      }),
  };
}

const LOCKS: Readonly<Record<ManagerName, readonly string[]>> = {
  npm: ['package-lock.json', 'npm-shrinkwrap.json'],
  pnpm: ['pnpm-lock.yaml'],
  yarn: ['yarn.lock'],
  bun: ['bun.lock', 'bun.lockb'],
};

function findManager({ names, packageJson }: RootNames): { readonly name: ManagerName; readonly version?: string } {
  const named = Named.safeParse(parseJson(packageJson ?? '')).data?.packageManager ?? '';
  const [, name, version] = /^(npm|pnpm|yarn|bun)@(\d[\w.-]{0,60})/.exec(named) ?? [];
  const own = MANAGERS.find((one) => one === name);
  if (own !== undefined && version !== undefined) return { name: own, version };
  const locked = MANAGERS.find((one) => LOCKS[one].some((lock) => names.has(lock)));
  return { name: locked ?? 'npm' };
}

function isBerryOf(names: ReadonlySet<string>, version: string | undefined): boolean {
  return version === undefined ? names.has('.yarnrc.yml') : !/^[01]\./.test(version);
}

/** The words that run a package manager, in the version of the project if that is its manager. */
function getRunner(root: RootNames, name: ManagerName): readonly string[] {
  const own = findManager(root);
  const version = own.name === name ? own.version : undefined;
  switch (name) {
    case 'npm':
      return ['npm'];
    case 'yarn':
      return isBerryOf(root.names, version)
        ? [...BERRY, `@yarnpkg/cli-dist@${version ?? VERSIONS.berry}`]
        : [...NPX, `yarn@${version ?? VERSIONS.yarn}`];
    case 'pnpm':
    case 'bun':
      return [...NPX, `${name}@${version ?? VERSIONS[name]}`];
  }
}

function getFrozen(name: ManagerName, isLocked: boolean, isBerry: boolean): readonly string[] {
  if (name === 'pnpm') return [isLocked ? '--frozen-lockfile' : '--no-frozen-lockfile'];
  if (!isLocked) return [];
  return [name === 'yarn' && isBerry ? '--immutable' : '--frozen-lockfile'];
}
