import { isPackageKey, MAX_PACKAGES, type Packages } from '@signalbox/contracts/repository/packages';
import { ownKey, type Project } from './project.ts';

/** What other repositories may ask this one for, and what it asks others for. */
export function packagesOf({ manifests, own }: Project): Packages {
  const uses = manifests.flatMap(({ facts }) =>
    facts.wanted
      // A folder is of this repository, whatever the package in it is called.
      .filter(({ origin }) => origin?.kind !== 'path')
      .map(({ name, of = name }) => ownKey(facts.ecosystem, of)),
  );
  return { offers: bounded(own), uses: bounded(uses.filter((name) => !own.has(name))) };
}

/** In an order of their own, so that of too many the same ones stay. */
function bounded(names: Iterable<string>): string[] {
  return [...new Set(names)].filter(isPackageKey).sort().slice(0, MAX_PACKAGES);
}
