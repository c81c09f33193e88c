import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** Longest wait for another installation; a slow network and a cold cache need two minutes. */
const OTHER_INSTALL_TIMEOUT_MS = 600_000;

/** What a person reads when `takeInstallLock` has waited in vain. */
export const STILL_LOCKED = 'Another install has been running for ten minutes. End it, then run this again.';

/**
 * Waits until no other process installs into the checkout. Takes over the lock of a killed process.
 * @param {string} checkout
 * @returns {Promise<(() => void) | null>} unlocks; null after ten minutes
 */
export async function takeInstallLock(checkout) {
  const folder = join(checkout, '.signalbox');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'install.lock');
  const draft = `${file}.${process.pid}`;
  const deadline = Date.now() + OTHER_INSTALL_TIMEOUT_MS;
  writeFileSync(draft, String(process.pid));
  try {
    for (let isReported = false; !tryLink(draft, file); isReported = true) {
      if (Date.now() > deadline) return null;
      const owner = readOwner(file);
      if (owner > 0 && !isAlive(owner)) rmSync(file, { force: true });
      if (!isReported) console.error(`waiting for another install (pid ${owner})`);
      await delay(200);
    }
    return () => rmSync(file, { force: true });
  } finally {
    rmSync(draft, { force: true });
  }
}

function readOwner(file) {
  try {
    return Number(readFileSync(file, 'utf8'));
  } catch {
    return 0; // the other install has just ended
  }
}

function tryLink(draft, file) {
  try {
    linkSync(draft, file);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM'; // EPERM: the process runs as another user
  }
}
