import { z } from 'zod';

const RULE = 'a folder of a repository is a path below its root, such as apps/web';

/** A folder of a repository in git's form, such as `apps/web`; `./apps/web/` is converted. */
export const RepositoryFolder = z
  .string()
  .trim()
  .max(200)
  .regex(/^[A-Za-z0-9._@+/-]+$/, RULE)
  .transform((path) => path.replace(/^(?:\.?\/)+|\/+$/g, ''))
  .refine(
    (path) => /^[A-Za-z0-9._@+]/.test(path) && path.split('/').every((name) => !['', '.', '..'].includes(name)),
    RULE,
  );

/** Separates a repository from a folder, as in Docker's build contexts: `shop.git#:apps/web`. */
const SEPARATOR = '#:';

export function buildFolderAddress(repository: string, folder: string | null): string {
  return folder === null ? repository : `${repository}${SEPARATOR}${folder}`;
}

/** Splits an address into repository and folder; the folder is null for the whole repository. */
export function splitFolderAddress(address: string): { readonly repository: string; readonly folder: string | null } {
  const at = address.lastIndexOf(SEPARATOR);
  if (at === -1) return { repository: address, folder: null };
  return { repository: address.slice(0, at), folder: address.slice(at + SEPARATOR.length) };
}
