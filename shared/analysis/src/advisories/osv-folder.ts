import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isSamePackage } from '../analyzers/dependencies/versions.ts';
import type { AdvisoryAnswer, AdvisorySource, AdvisoryHit, PackageVersion } from '../advisory-source.ts';
import { toAdvisoryHit, readOsvRecord } from './osv-record.ts';

/** Maximum size of an OSV record. Most have a few kilobytes. */
const RECORD_LIMIT_BYTES = 5_000_000;
/** Number of files that are read in parallel. */
const READERS = 16;

/** Reads OSV records from JSON files in a folder and its subfolders. Every call reads the files again, because they may change. */
export function openOsvFolder(folder: string): AdvisorySource {
  return {
    describe: () => 'folder',
    find: async (packages) => {
      try {
        const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.json')).sort();
        if (names.length === 0) return unavailable('the folder has no records');
        const paths = names.map((name) => join(folder, name));
        return { outcome: 'answered', hits: await readHits(paths, packages) };
      } catch (error) {
        return unavailable(error instanceof Error && 'code' in error ? String(error.code) : 'it cannot be read');
      }
    },
  };
}

function unavailable(reason: string): AdvisoryAnswer {
  return { outcome: 'unavailable', reason };
}

async function readHits(
  paths: readonly string[],
  packages: readonly PackageVersion[],
): Promise<readonly AdvisoryHit[]> {
  const byFile = new Map<string, readonly AdvisoryHit[]>();
  const open = [...paths];
  const read = async (): Promise<void> => {
    for (let path = open.pop(); path !== undefined; path = open.pop()) {
      if ((await stat(path)).size > RECORD_LIMIT_BYTES) continue;
      const record = readOsvRecord(await readFile(path, 'utf8'));
      if (!record) continue;
      const named = packages.filter((one) =>
        record.affected.some((other) => other.package && isSamePackage(one, other.package)),
      );
      const hits = named.flatMap((one) => toAdvisoryHit(record, one) ?? []);
      byFile.set(path, hits);
    }
  };
  await Promise.all(Array.from({ length: READERS }, read));
  return paths.flatMap((path) => byFile.get(path) ?? []);
}
