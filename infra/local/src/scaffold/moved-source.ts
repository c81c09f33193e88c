import { posix } from 'node:path';

/** A copy of a file to another path. Both paths are relative to the checkout. */
export interface FileCopy {
  readonly from: string;
  readonly to: string;
}

/** Matches static and dynamic imports with their path. */
const SPECIFIER = /(\bfrom |\bimport\()'([^']+)'/g;
const PACKAGE = /^@signalbox\/([\w-]+)\/(.+)$/;
/** Packages into which scaffolds write. Imports within one of them are relative. */
const SERVICES = ['gateway', 'worker', 'jobs'];

/** Rewrites the imports of a copied file: relative paths within a package, package names across packages. */
export function rewriteImports(text: string, move: FileCopy, moves: readonly FileCopy[]): string {
  return text.replace(SPECIFIER, (whole, before: string, specifier: string) => {
    const target = resolve(specifier, move.from);
    if (target === null) return whole;
    const place = moves.find(({ from }) => from === target)?.to ?? target;
    return `${before}'${nameFrom(move.to, place)}'`;
  });
}

/** Returns the path of the imported file; null for packages whose imports need no change. */
function resolve(specifier: string, from: string): string | null {
  if (specifier.startsWith('.')) return posix.join(posix.dirname(from), specifier);
  const [, name, path] = PACKAGE.exec(specifier) ?? [];
  return name !== undefined && SERVICES.includes(name) ? `services/${name}/src/${path}.ts` : null;
}

function nameFrom(importer: string, target: string): string {
  const [, root, name, path] = /^(services\/([\w-]+)\/src\/)(.+)\.ts$/.exec(target) ?? [];
  if (root !== undefined && !importer.startsWith(root)) return `@signalbox/${name}/${path}`;
  const relative = posix.relative(posix.dirname(importer), target);
  return relative.startsWith('.') ? relative : `./${relative}`;
}
