import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A folder of an installation as it was when it was whole: its path from the checkout, when its entries changed last, and how many it
 * has.
 * @typedef {[path: string, changedMs: number, entries: number]} Folder
 */

/**
 * All folders below `roots`, for a mark. What tools keep in folders of `node_modules` with a dot is no part of it, but the programs are.
 * @param {string} checkout
 * @param {readonly string[]} roots such as node_modules
 * @returns {Folder[]}
 */
export function listFolders(checkout, roots) {
  return roots.flatMap((root) => namesIn(checkout, root).flatMap((name) => below(checkout, `${root}/${name}`)));
}

/**
 * The first folder that is gone or has lost entries; null when nothing is missing. `isSame` is false when something changed and has
 * to be noted anew. One look at each folder, some milliseconds in all; a file that was cut or emptied in its place is not noticed.
 * @param {string} checkout
 * @param {readonly Folder[]} folders
 * @returns {{ missing: string | null, isSame: boolean }}
 */
export function compareFolders(checkout, folders) {
  let isSame = true;
  for (const [path, changedMs, entries] of folders) {
    const found = statSync(join(checkout, path), { throwIfNoEntry: false });
    if (found === undefined) return { missing: path, isSame: false };
    if (entries === 0 || found.mtimeMs === changedMs) continue;
    if (readdirSync(join(checkout, path)).length < entries) return { missing: `a part of ${path}`, isSame: false };
    isSame = false;
  }
  return { missing: null, isSame };
}

/** @param {string} checkout @param {string} root */
function namesIn(checkout, root) {
  return readdirSync(join(checkout, root)).filter((name) => !name.startsWith('.') || name === '.bin');
}

/** @param {string} checkout @param {string} path @returns {Folder[]} */
function below(checkout, path) {
  const children = readdirSync(join(checkout, path), { withFileTypes: true });
  const folders = children.filter((child) => child.isDirectory());
  /** @type {Folder} */
  const own = [path, statSync(join(checkout, path)).mtimeMs, children.length];
  return [own, ...folders.flatMap(({ name }) => below(checkout, `${path}/${name}`))];
}
