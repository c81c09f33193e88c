import { z } from 'zod';

/** Maximum number of stored package names per repository and kind; no known workspace has more. */
export const MAX_PACKAGES = 5_000;

/** Ecosystem and registry name, such as `npm @acme/cups`; never free text. npm has the longest names. */
const PackageKey = z.string().regex(/^(?:npm|PyPI|Go|crates\.io|RubyGems|Packagist|Maven|NuGet) [\w@.~+/:-]{1,214}$/);
const Names = z.array(PackageKey).max(MAX_PACKAGES);

/** True when a package of this name could be required by other repositories. */
export function isPackageKey(name: string): boolean {
  return PackageKey.safeParse(name).success;
}

/** Packages that a repository provides, and packages that it requires from other repositories. */
export const Packages = z.object({ offers: Names, uses: Names });
export type Packages = z.infer<typeof Packages>;
