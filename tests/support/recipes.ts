import { cpSync, globSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { getCheckoutPath } from '@signalbox/local/checkout';
import { makeTemporaryFolder } from './temporary-folder.ts';

/** A code block of docs/extending/ that names its file: a whole file, or, as a diff, what changes in one. */
export interface Shown {
  readonly isDiff: boolean;
  readonly path: string;
  readonly code: string;
}

/** Every code block of docs/extending/ whose first line names a file, in order. */
export function readRecipes(): readonly Shown[] {
  const folder = join(getCheckoutPath(), 'docs/extending');
  const pages = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
  return pages.flatMap((page) =>
    [...page.matchAll(/^```(\w+)\n ?\/\/ ([\w./-]+)\n([\s\S]*?)^```$/gm)].map(([, language, path = '', code = '']) => ({
      isDiff: language === 'diff',
      path,
      code,
    })),
  );
}

/** Copies the product's sources and its tests into a folder of their own, which resolves its packages to the copies. Answers the folder. */
export function copyProduct(): string {
  const [from, to] = [getCheckoutPath(), makeTemporaryFolder('product')];
  for (const folder of ['shared', 'services', 'infra', 'examples', 'docs', 'tests', '.ci', '.changeset'])
    cpSync(join(from, folder), join(to, folder), {
      recursive: true,
      filter: (path) => !/\/(dist|node_modules)$/.test(path),
    });
  for (const { name } of readdirSync(from, { withFileTypes: true }).filter((entry) => entry.isFile()))
    if (name !== '.env') cpSync(join(from, name), join(to, name));
  const modules = join(to, 'node_modules');
  mkdirSync(modules);
  for (const name of readdirSync(join(from, 'node_modules')))
    if (name === '@signalbox')
      cpSync(join(from, 'node_modules', name), join(modules, name), { recursive: true, verbatimSymlinks: true });
    else symlinkSync(join(from, 'node_modules', name), join(modules, name));
  // A workspace has packages of its own where it needs another version than most.
  for (const path of globSync('{shared,services,infra,examples}/*/node_modules', { cwd: from }))
    symlinkSync(join(from, path), join(to, path));
  return to;
}

/** Does in a copy of the product what a code block shows. Throws when a line that a diff names is not there. */
export function follow(root: string, { isDiff, path, code }: Shown): void {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, isDiff ? applyDiff(readFileSync(file, 'utf8'), code) : code);
}

function applyDiff(text: string, diff: string): string {
  const lines = text.split('\n');
  let place = 0;
  for (const line of diff.split('\n').slice(0, -1)) {
    const rest = line.slice(1);
    if (line.startsWith('+')) {
      lines.splice(place, 0, rest);
      place += 1;
      continue;
    }
    const found = lines.indexOf(rest, place);
    if (found === -1) throw new Error(`no line is: ${rest}`);
    if (line.startsWith('-')) lines.splice(found, 1);
    place = line.startsWith('-') ? found : found + 1;
  }
  return lines.join('\n');
}
