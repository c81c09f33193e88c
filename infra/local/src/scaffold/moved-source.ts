import { posix } from 'node:path';

/** A source file that becomes another one, as paths from the root of the checkout. */
export interface Move {
  readonly from: string;
  readonly to: string;
}

/** What stands in quotation marks behind `from`, or is loaded at run time. */
const SPECIFIER = /(\bfrom |\bimport\()'([^']+)'/g;
const PACKAGE = /^@signalbox\/([\w-]+)\/(.+)$/;
/** Packages in which scaffolds put files: what these import of their own package is named by its place. */
const SERVICES = ['gateway', 'worker', 'jobs'];

/**
 * The text of a file at its new place: what it imports is named as it is seen from there. Files of one package name each other by
 * their places, and those of others by the package.
 */
export function moveSource(text: string, move: Move, moves: readonly Move[]): string {
  return text.replace(SPECIFIER, (whole, before: string, specifier: string) => {
    const target = resolve(specifier, move.from);
    if (target === null) return whole;
    const place = moves.find(({ from }) => from === target)?.to ?? target;
    return `${before}'${nameFrom(move.to, place)}'`;
  });
}

/** The file that is imported; null for packages that are not ours, and for ours outside of the services, which stay what they are. */
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
