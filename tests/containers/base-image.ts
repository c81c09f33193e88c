import { cpSync, existsSync, mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Engine } from './engine.ts';
import { mustRun, runProgram } from './program.ts';

/** What building and running the services takes beside Node and npm. */
const PROGRAMS = ['/bin/sh', '/usr/bin/env', '/bin/ls', '/bin/cat', '/usr/bin/id'];
/** Looked up by name at run time, so that `ldd` does not show them. */
const NAME_SERVICE = /libnss_(dns|files)|libresolv/;
/** Where package managers and certificates are configured; in this image only, which never leaves the machine. */
const SETTINGS = ['/etc/ssl/certs/ca-certificates.crt', '/root/.npmrc', '/usr/etc/npmrc', '/usr/local/etc/npmrc'];

/**
 * Makes a base image out of this machine's own Node, npm and libraries, and imports it under `tag`. It stands in for the
 * node image of a registry, which a build machine may not reach. `more`: programs that it has besides.
 */
export async function importBaseImage(
  engine: Engine,
  folder: string,
  tag: string,
  more: readonly string[] = [],
): Promise<void> {
  const root = join(folder, 'root');
  for (const name of ['proc', 'sys', 'dev', 'tmp', 'root', 'var/tmp', 'app'])
    mkdirSync(join(root, name), { recursive: true });
  await mustRun('chmod', ['1777', join(root, 'tmp')]);
  for (const program of [...PROGRAMS, ...more]) await copyProgram(root, program, program);
  await copyProgram(root, realpathSync(process.execPath), '/usr/bin/node');
  const npm = await locateNpm();
  cpSync(npm, join(root, '/usr/lib/node_modules/npm'), { recursive: true, dereference: true });
  for (const name of ['npm', 'npx'])
    symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, join(root, 'usr/bin', name));
  for (const file of SETTINGS.filter(existsSync)) copyFile(root, file, file);
  writeFileSync(join(root, 'etc/passwd'), 'root:x:0:0:root:/root:/bin/sh\n');
  const archive = join(folder, 'base.tar');
  await mustRun('tar', ['-C', root, '-cf', archive, '.']);
  const changes = ['ENV PATH=/usr/bin:/bin', 'ENV NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt'];
  await engine.docker(['import', ...changes.flatMap((change) => ['--change', change]), archive, tag]);
}

async function copyProgram(root: string, from: string, to: string): Promise<void> {
  copyFile(root, from, to);
  const { out } = await runProgram('ldd', [from]); // fails for a static program, which needs nothing
  const libraries = [...out.matchAll(/(\/\S+\.so\S*)/g)].map(([, path]) => path ?? '');
  for (const library of libraries) copyFile(root, library, library);
  const folder = libraries.find((path) => path.includes('libc.so'));
  if (folder === undefined) return;
  const { out: names } = await runProgram('ls', [dirname(folder)]);
  for (const name of names.split('\n').filter((line) => NAME_SERVICE.test(line)))
    copyFile(root, join(dirname(folder), name), join(dirname(folder), name));
}

function copyFile(root: string, from: string, to: string): void {
  const target = join(root, to);
  if (existsSync(target)) return;
  mkdirSync(dirname(target), { recursive: true });
  cpSync(realpathSync(from), target);
}

/** The folder of npm: beside this Node, wherever that is. */
async function locateNpm(): Promise<string> {
  const root = (await mustRun('npm', ['root', '--global'])).trim();
  const folder = join(root, 'npm');
  readFileSync(join(folder, 'package.json')); // throws a clear error when npm is somewhere else
  return folder;
}
