import { z } from 'zod';

/** How many names of packages are kept of one repository: each kind on its own. No workspace that we know of comes near. */
export const MAX_PACKAGES = 5_000;

/** `npm @acme/cups`: the ecosystem and a name as its registry takes it, nothing that could be text. npm has the longest names. */
const PackageKey = z.string().regex(/^(?:npm|PyPI|Go|crates\.io) [\w@.~+/-]{1,214}$/);
const Names = z.array(PackageKey).max(MAX_PACKAGES);

/** Whether others could ask for a package of this name. */
export function isPackageKey(name: string): boolean {
  return PackageKey.safeParse(name).success;
}

/** The packages that lie in a repository, and those that it asks for and has not itself. */
export const Packages = z.object({ offers: Names, uses: Names });
export type Packages = z.infer<typeof Packages>;
