import { z } from 'zod';

/** Maximum stored package names per repository and kind; larger than any known workspace. */
export const MAX_PACKAGES = 5_000;

/** Ecosystem and registry name, such as `npm @acme/cups`; never free text. npm has the longest names. */
const PackageKey = z.string().regex(/^(?:npm|PyPI|Go|crates\.io) [\w@.~+/-]{1,214}$/);
const Names = z.array(PackageKey).max(MAX_PACKAGES);

/** True when other repositories could require a package of this name. */
export function isPackageKey(name: string): boolean {
  return PackageKey.safeParse(name).success;
}

/** Packages that a repository provides, and packages that it requires from other repositories. */
export const Packages = z.object({ offers: Names, uses: Names });
export type Packages = z.infer<typeof Packages>;
