import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A folder of an installation: its relative path, modification time and number of entries.
 * @typedef {[path: string, changedMs: number, entries: number]} Folder
 */

/**
 * Lists all folders below `roots`. Ignores folders of `node_modules` whose name begins with a dot, except `.bin`.
 * @param {string} checkout
 * @param {readonly string[]} roots such as node_modules
 * @returns {Folder[]}
 */
export function listFolders(checkout, roots) {
  return roots.flatMap((root) => listNames(checkout, root).flatMap((name) => listBelow(checkout, `${root}/${name}`)));
}

/**
 * Finds the first folder that is missing or has lost entries. `isSame` is false when the record must be renewed. Takes some
 * milliseconds. Does not notice damaged files.
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

function listNames(checkout, root) {
  return readdirSync(join(checkout, root)).filter((name) => !name.startsWith('.') || name === '.bin');
}

function listBelow(checkout, path) {
  const children = readdirSync(join(checkout, path), { withFileTypes: true });
  const folders = children.filter((child) => child.isDirectory());
  const own = [path, statSync(join(checkout, path)).mtimeMs, children.length];
  return [own, ...folders.flatMap(({ name }) => listBelow(checkout, `${path}/${name}`))];
}
