import { isPackageKey, MAX_PACKAGES, type Packages } from '@signalbox/contracts/repository/packages';
import { ownKey, type Project } from './project.ts';

/** Lists the packages that this repository publishes and the external ones that it uses. */
export function packagesOf({ manifests, own }: Project): Packages {
  const uses = manifests.flatMap(({ facts }) =>
    facts.wanted
      // A path dependency belongs to this repository.
      .filter(({ origin }) => origin?.kind !== 'path')
      .map(({ name, of = name }) => ownKey(facts.ecosystem, of)),
  );
  return { offers: bounded(own), uses: bounded(uses.filter((name) => !own.has(name))) };
}

/** Sorted, so that the limit always keeps the same names. */
function bounded(names: Iterable<string>): string[] {
  return [...new Set(names)].filter(isPackageKey).sort().slice(0, MAX_PACKAGES);
}
