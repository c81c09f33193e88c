import { z } from 'zod';
import { parseJson } from '@signalbox/contracts/system-error';
import { say } from '@signalbox/messages/say';
import type { FixableFinding, FixFiles, FixPlan, PackageManager } from './fix.ts';

const LOCKS: readonly { readonly file: string; readonly manager: 'npm' | 'pnpm' | 'yarn' }[] = [
  { file: 'package-lock.json', manager: 'npm' },
  { file: 'npm-shrinkwrap.json', manager: 'npm' },
  { file: 'pnpm-lock.yaml', manager: 'pnpm' },
  { file: 'yarn.lock', manager: 'yarn' },
];
/** Names of packages as the npm registry takes them, so that no name is read as an option or a path. */
const NAME = /^(?:@[a-z0-9~][\w.~-]{0,100}\/)?[a-z0-9~][\w.~-]{0,200}$/i;
const VERSION = /^\d[\w.+-]{0,60}$/;

/**
 * Commands that write only the lock file, by package manager. No script of a package runs. Those that Node does not bring along are fetched
 * by npm.
 */
const COMMANDS: Readonly<Record<PackageManager, { raise(name: string): string[]; write(): string[] }>> = {
  npm: {
    raise: (name) => ['npm', 'update', name, '--package-lock-only', '--ignore-scripts', '--no-audit', '--no-fund'],
    write: () => ['npm', 'install', '--package-lock-only', '--ignore-scripts', '--no-audit', '--no-fund'],
  },
  pnpm: {
    raise: (name) => [
      'npx',
      '--yes',
      'pnpm@10',
      'update',
      name,
      '--depth',
      'Infinity',
      '--lockfile-only',
      '--ignore-scripts',
    ],
    write: () => ['npx', '--yes', 'pnpm@10', 'install', '--lockfile-only', '--ignore-scripts', '--no-frozen-lockfile'],
  },
  yarn: {
    raise: (name) => ['npx', '--yes', 'yarn@1.22.22', 'upgrade', name, '--ignore-scripts', '--non-interactive'],
    write: () => ['npx', '--yes', 'yarn@1.22.22', 'install', '--ignore-scripts', '--non-interactive'],
  },
  berry: {
    raise: (name) => ['npx', '--yes', '@yarnpkg/cli-dist@4', 'up', '--recursive', name, '--mode=update-lockfile'],
    write: () => ['npx', '--yes', '@yarnpkg/cli-dist@4', 'install', '--mode=update-lockfile'],
  },
};

/** Plans how a package manager raises a dependency within its range, or brings the lock file into step. */
export async function planLockFix(finding: FixableFinding, files: FixFiles): Promise<FixPlan> {
  const { rule, path, values } = finding;
  const given = typeof values['lock'] === 'string' ? values['lock'] : path;
  const folder = given.includes('/') ? given.slice(0, given.lastIndexOf('/')) : '';
  const at = (name: string): string => (folder === '' ? name : `${folder}/${name}`);
  if ((await files.read(at('package.json'))) === null) return { kind: 'none', why: say('fixes.otherManager') };
  let found: (typeof LOCKS)[number] | null = null;
  let text: string | null = null;
  for (const lock of LOCKS) {
    text = await files.read(at(lock.file));
    if (text === null) continue;
    found = lock;
    break;
  }
  const lockFile = at(found?.file ?? 'package-lock.json');
  const isBerry = found?.manager === 'yarn' && /^__metadata:/m.test(text ?? '');
  const commands = COMMANDS[isBerry ? 'berry' : (found?.manager ?? 'npm')];
  if (rule !== 'advisories/known-weakness') {
    const texts = {
      title: say('fixes.lockTitle', { file: lockFile }, 'en'),
      summary: say('fixes.lockSummary', { file: lockFile }),
    };
    return { kind: 'lock', ...texts, folder, lockFile, words: commands.write(), gone: null };
  }
  const [name, version] = [String(values['name'] ?? ''), String(values['version'] ?? '')];
  if (found === null) return { kind: 'none', why: say('fixes.noLock') };
  if (!NAME.test(name) || !VERSION.test(version)) return { kind: 'none', why: say('fixes.oddName') };
  return {
    kind: 'lock',
    title: say('fixes.raiseTitle', { name, version }, 'en'),
    summary: say('fixes.raiseSummary', { name, version, id: String(values['id'] ?? ''), file: lockFile }),
    folder,
    lockFile,
    words: commands.raise(name),
    gone: { name, version },
  };
}

const PackageLock = z.object({ packages: z.record(z.string(), z.object({ version: z.string().optional() })) });

/** True when a lock file still names this version of a package. Pure. */
export function hasLockedVersion(
  lockText: string,
  { name, version }: { readonly name: string; readonly version: string },
): boolean {
  const lock = PackageLock.safeParse(parseJson(lockText));
  if (lock.success)
    return Object.entries(lock.data.packages).some(
      ([path, one]) =>
        (path === `node_modules/${name}` || path.endsWith(`/node_modules/${name}`)) && one.version === version,
    );
  // pnpm names a package as `name@version:`; Yarn names its ranges in one line and the version in the next.
  if (lockText.includes(`${name}@${version}`) && /^lockfileVersion:/m.test(lockText)) return true;
  return lockText.split(/\n(?=\S)/).some((block) => {
    const isOfName = block.startsWith(`${name}@`) || block.startsWith(`"${name}@`);
    const locked = /^ {2}version:? "?([^"\n]+)"?$/m.exec(block)?.[1];
    return isOfName && locked === version;
  });
}
