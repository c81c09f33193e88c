import { posix } from 'node:path';

/** A file that is copied to another path, both relative to the checkout. */
export interface Move {
  readonly from: string;
  readonly to: string;
}

/** Import specifiers, static or dynamic. */
const SPECIFIER = /(\bfrom |\bimport\()'([^']+)'/g;
const PACKAGE = /^@signalbox\/([\w-]+)\/(.+)$/;
/** Packages that scaffolds write to; within them imports are relative. */
const SERVICES = ['gateway', 'worker', 'jobs'];

/** Rewrites a file's imports for its new path: relative within a package, by package name otherwise. */
export function moveSource(text: string, move: Move, moves: readonly Move[]): string {
  return text.replace(SPECIFIER, (whole, before: string, specifier: string) => {
    const target = resolve(specifier, move.from);
    if (target === null) return whole;
    const place = moves.find(({ from }) => from === target)?.to ?? target;
    return `${before}'${nameFrom(move.to, place)}'`;
  });
}

/** The imported file; null for packages outside of the services, whose imports stay. */
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
