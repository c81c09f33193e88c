import { z } from 'zod';

const WANTED = 'a folder of a repository is a path below its root, such as apps/web';

/** A folder of a repository, as git names it: `apps/web`; also written as `./apps/web/`. */
export const RepositoryFolder = z
  .string()
  .trim()
  .max(200)
  .regex(/^[A-Za-z0-9._@+/-]+$/, WANTED)
  .transform((path) => path.replace(/^(?:\.?\/)+|\/+$/g, ''))
  .refine(
    (path) => /^[A-Za-z0-9._@+]/.test(path) && path.split('/').every((name) => !['', '.', '..'].includes(name)),
    WANTED,
  );

/** What stands between a repository and one of its folders, as in the build contexts of Docker: `shop.git#:apps/web`. */
const MARK = '#:';

/** The address of a service that lies in one folder of a repository. */
export function addFolder(repository: string, folder: string | null): string {
  return folder === null ? repository : `${repository}${MARK}${folder}`;
}

/** The repository of an address, and the folder that it names; null for all of it. */
export function splitFolder(address: string): { readonly repository: string; readonly folder: string | null } {
  const at = address.lastIndexOf(MARK);
  if (at === -1) return { repository: address, folder: null };
  return { repository: address.slice(0, at), folder: address.slice(at + MARK.length) };
}
