import { createHash } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { STILL_LOCKED, takeInstallLock } from './install-lock.mjs';
import { compareFolders, listFolders } from './installation.mjs';
import { runNpm } from './npm.mjs';

/**
 * Runs `npm ci` when node_modules is missing, damaged or belongs to another package-lock.json. Concurrent calls wait for the first.
 * Returns null on success, otherwise a message for the person.
 * @param {string} checkout
 * @param {Record<string, string | undefined>} environment
 * @returns {Promise<string | null>}
 */
export async function installDependencies(checkout, environment) {
  if (findProblem(checkout) === null) return null;
  const unlock = await takeInstallLock(checkout);
  if (unlock === null) return STILL_LOCKED;
  try {
    const problem = findProblem(checkout);
    if (problem === null) return null; // another process has installed them
    if (problem !== NOTHING_THERE) console.error(`the installation is damaged (${problem}); it is made anew`);
    const failure = await reinstall(checkout, environment);
    if (failure === null) writeMark(checkout);
    return failure;
  } finally {
    unlock();
  }
}

/**
 * True when npm's record of installed packages matches the lock file. Optional packages may be absent: they are for other systems.
 * @param {{ packages?: Record<string, PackageEntry> }} wanted package-lock.json
 * @param {{ packages?: Record<string, PackageEntry> }} installed node_modules/.package-lock.json
 * @typedef {{ version?: string, integrity?: string, link?: boolean, optional?: boolean, devOptional?: boolean }} PackageEntry
 */
export function matchesLockFile(wanted, installed) {
  const asked = Object.entries(wanted.packages ?? {}).filter(([path]) => path.includes('node_modules/'));
  const present = installed.packages ?? {};
  const complete = asked.every(([path, entry]) => {
    const found = present[path];
    if (found === undefined) return entry.optional === true || entry.devOptional === true;
    return found.version === entry.version && found.integrity === entry.integrity && found.link === entry.link;
  });
  const known = wanted.packages ?? {};
  return complete && Object.keys(present).every((path) => path in known);
}

/** Describes what is wrong with the installation; null when it is complete. */
function findProblem(checkout) {
  const lock = readFileSync(join(checkout, 'package-lock.json'), 'utf8');
  const mark = readMark(checkout);
  if (mark !== null && mark.lock === hash(lock)) {
    const { missing, isSame } = compareFolders(checkout, mark.folders);
    if (missing !== null) return `${missing} is missing`;
    if (isSame && mark.recordMs === changedMs(recordOf(checkout))) return null;
  }
  // npm was run by hand, or something was added: compare npm's own record.
  const record = parseRecord(readIfThere(recordOf(checkout)));
  if (!matchesLockFile(JSON.parse(lock), record))
    return mark?.lock === hash(lock) ? 'it is not what package-lock.json asks for' : NOTHING_THERE;
  const paths = Object.keys(record.packages ?? {}).filter((path) => path.includes('node_modules/'));
  const gone = paths.find((path) => changedMs(join(checkout, path, 'package.json')) === null);
  if (gone !== undefined) return `${gone} is missing`;
  try {
    writeMark(checkout);
  } catch {
    // A read-only folder may be complete; the next run checks again.
  }
  return null;
}

/** Reported for a missing installation, or for one of another package-lock.json. Not an error. */
const NOTHING_THERE = 'nothing is installed';

function parseRecord(text) {
  try {
    return JSON.parse(text ?? '{}');
  } catch {
    return {};
  }
}

function recordOf(checkout) {
  return join(checkout, 'node_modules/.package-lock.json');
}

function markOf(checkout) {
  return join(checkout, 'node_modules/.signalbox-lock');
}

/** Reads the record of a complete installation. Returns null without a valid one. */
function readMark(checkout) {
  try {
    return JSON.parse(readFileSync(markOf(checkout), 'utf8'));
  } catch {
    return null;
  }
}

function writeMark(checkout) {
  const lock = readFileSync(join(checkout, 'package-lock.json'), 'utf8');
  // Includes node_modules folders of single workspaces.
  const paths = Object.keys(JSON.parse(lock).packages).filter((path) => path.includes('node_modules/'));
  const roots = new Set(paths.map((path) => path.slice(0, path.indexOf('node_modules/') + 'node_modules'.length)));
  const there = [...roots].filter((root) => changedMs(join(checkout, root)) !== null);
  const recordMs = changedMs(recordOf(checkout));
  const mark = { lock: hash(lock), recordMs, folders: listFolders(checkout, there) };
  writeFileSync(markOf(checkout), JSON.stringify(mark));
}

function changedMs(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? null;
}

function hash(text) {
  return createHash('sha256').update(text).digest('hex');
}

function readIfThere(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

async function reinstall(checkout, environment) {
  // NODE_ENV=production would omit development tools, which start everything. Postgres is an optional package.
  const args = ['ci', '--include=dev', '--include=optional', '--no-audit', '--no-fund', '--loglevel=warn'];
  console.error('installing dependencies (npm ci, once; one to two minutes)');
  const begin = Date.now();
  const result = await runNpm(args, { cwd: checkout, environment });
  if (result === 'interrupted') return 'Interrupted. The next run installs the dependencies again.';
  if (result !== 'done') return result === 'failed' ? FAILED : result.missing;
  console.error(`dependencies installed in ${((Date.now() - begin) / 1000).toFixed(0)} s`);
  return null;
}

const FAILED =
  'The dependencies could not be installed; npm says above why. Check the network and the free disk space, then run the same command again.';
