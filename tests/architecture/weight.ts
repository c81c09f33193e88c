import { existsSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { listFiles, type SourceFile } from './sources.ts';

const COUNTED = /\.(tsx?|mjs|cjs|sql|css)$/;
const FOLDERS = ['services', 'shared', 'infra', 'examples'];
/** Stand-ins for services of others, and the model that works without a provider. */
const APART = /^(infra\/[a-z]+-simulator|shared\/planner)\//;
const TEST = /\.(test|fixture)\.tsx?$/;

/** Whether a file counts as the product: neither a test nor a sentence. */
export const isProduct = ({ path }: Pick<SourceFile, 'path'>): boolean =>
  COUNTED.test(path) && !TEST.test(path) && FOLDERS.some((folder) => path.startsWith(`${folder}/`));

/** The package of a file: the first two folders of its path. */
const packageOf = (path: string): string => path.split('/').slice(0, 2).join('/');

/** Lines by package, blank lines and comments included, the packages in the order of their names. */
export function countLines(root: string): ReadonlyMap<string, number> {
  const lines = new Map<string, number>();
  const folders = FOLDERS.filter((folder) => existsSync(join(root, folder)));
  const paths = folders.flatMap((folder) => listFiles(root, folder)).filter((path) => isProduct({ path }));
  for (const path of paths.toSorted()) {
    const count = readFileSync(join(root, path), 'utf8').split('\n').length - 1;
    lines.set(packageOf(path), (lines.get(packageOf(path)) ?? 0) + count);
  }
  return lines;
}

/** The sum of all packages but the simulators and the planner. */
export function sumLines(lines: ReadonlyMap<string, number>): number {
  return [...lines].reduce((sum, [name, count]) => sum + (APART.test(`${name}/`) ? 0 : count), 0);
}

/**
 * Folders of one package that import each other, as `a ⇄ b`. A folder counts with all that is below it. Files beside folders do not
 * count: a registry imports what its folders export.
 */
export function findTies(files: readonly SourceFile[]): readonly string[] {
  const edges = new Set<string>();
  for (const { path, imports } of files)
    for (const { target } of imports) {
      const rooms = target === null ? null : findRooms(path, target);
      if (rooms) edges.add(rooms.join(' ⇄ '));
    }
  const ties = [...edges].filter((edge) => edges.has(edge.split(' ⇄ ').toReversed().join(' ⇄ ')));
  return ties.filter((edge) => edge < edge.split(' ⇄ ').toReversed().join(' ⇄ ')).toSorted();
}

/** The two folders, below the deepest one that holds both files, that an import ties; null for files of that folder itself. */
function findRooms(from: string, to: string): readonly [string, string] | null {
  const [start, end] = [posix.dirname(from).split('/'), posix.dirname(to).split('/')];
  let shared = 0;
  while (shared < start.length && start[shared] === end[shared]) shared += 1;
  const [one, other] = [start[shared], end[shared]];
  if (shared < 2 || one === undefined || other === undefined) return null;
  const folder = start.slice(0, shared).join('/');
  return [`${folder}/${one}`, `${folder}/${other}`];
}
