import { mkdirSync, readdirSync, readFileSync, realpathSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ServiceKey } from '@signalbox/contracts/operations/deploy';
import { AppError } from '@signalbox/contracts/errors';
import { tryOr, parseJson } from '@signalbox/contracts/system-error';
import type { z } from 'zod';

/**
 * Names the folders below `root`, the folder of the targets:
 *
 *   <project>/<environment>/.home                    home folder of builds and programs, with their caches
 *   <project>/<environment>/<deployment>/artifact    the built files, in which the program runs
 *                                       /built.json  exists when the artifact is complete
 *                                       /build.json  identifies the processes of a running build
 *                                       /instance    files of the started program: see shim.sh
 */
export function createFolderPaths(root: string) {
  const at = (ref: string): string => {
    const parts = ref.split('/');
    if (parts.length !== 3 || !parts.every(isPlain))
      throw new AppError('TARGET_NAME_REFUSED', { name: ref.slice(0, 100) });
    return join(root, ...parts);
  };
  const service = ({ project, environment }: ServiceKey): string => join(root, plain(project), environment);
  return {
    root,
    /** Returns the folder of an artifact's name. Throws TARGET_NAME_REFUSED when the name leads outside the root. */
    at,
    home: (key: ServiceKey): string => join(service(key), '.home'),
    /** Returns the name of a deployment's folder: `shop/staging/act_1`. */
    ref: (id: ServiceKey & { readonly deploymentId: string }): string =>
      [id.project, id.environment, id.deploymentId].map(plain).join('/'),
    refsOf: (key: ServiceKey): readonly string[] =>
      tryOr(() => readdirSync(service(key)).sort(), [])
        .filter(isPlain)
        .map((name) => `${plain(key.project)}/${key.environment}/${name}`),
  };
}

export type FolderPaths = ReturnType<typeof createFolderPaths>;

/** Returns the folder of an artifact; null when the folder is missing or leads outside the root. */
export function findReleaseFolder({ root, at }: FolderPaths, { ref }: { readonly ref: string }): string | null {
  const folder = join(at(ref), 'artifact');
  // The program runs as this user and could replace its folder by a link.
  const isOurs = tryOr(() => realpathSync(folder) === join(realpathSync(root), ref, 'artifact'), false);
  return isOurs ? folder : null;
}

/** Writes a file atomically, readable by its owner only. */
export function putJson(file: string, value: unknown): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(`${file}.new`, `${JSON.stringify(value)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

/** Reads a file; null when it is missing or invalid. */
export function readJson<T>(file: string, schema: z.ZodType<T>): T | null {
  return schema.safeParse(parseJson(readText(file) ?? '')).data ?? null;
}

/** Reads a file without its last line break; null when it is missing. */
export function readText(file: string): string | null {
  return tryOr(() => readFileSync(file, 'utf8').trim(), null);
}

/** Encodes an id as a folder name. Throws TARGET_NAME_REFUSED for an id that leads to another folder. */
function plain(part: string): string {
  const name = encodeURIComponent(part);
  if (!isPlain(name)) throw new AppError('TARGET_NAME_REFUSED', { name: part.slice(0, 100) });
  return name;
}

function isPlain(part: string): boolean {
  return /^[A-Za-z0-9_%][A-Za-z0-9_%.~!'()*-]{0,199}$/.test(part);
}
