import { posix } from 'node:path';
import type { RawFinding } from '@signalbox/contracts/repository/finding';
import { createFinding } from '../finding.ts';
import type { ManifestFacts, PackageOrigin, Dependency } from '../packages/package.ts';
import { findInsecureHost } from '../packages/insecure.ts';
import type { LocatedFacts, PackageFiles } from '../project.ts';
import { findLockFiles } from './lock-files.ts';

export function findForeignOrigins(project: PackageFiles): readonly RawFinding[] {
  return project.manifests.flatMap((manifest) => {
    const isLocked = findLockFiles(project, manifest).length > 0;
    // A lock file pins the commit of a git dependency until a developer updates the lock file.
    const settled = (origin: PackageOrigin): PackageOrigin => ({
      ...origin,
      isPinned: origin.isPinned || (isLocked && origin.kind === 'git'),
    });
    return manifest.facts.wanted.flatMap((wanted) =>
      wanted.origin ? findForeignOrigin(manifest, wanted, settled(wanted.origin)) : [],
    );
  });
}

function findForeignOrigin(
  { path, folder }: LocatedFacts<ManifestFacts>,
  { name, line }: Dependency,
  origin: PackageOrigin,
): readonly RawFinding[] {
  const parts = { path, line, evidence: `${name}: ${origin.at}`, values: { name, at: origin.at }, identity: name };
  if (origin.kind !== 'path' && findInsecureHost(origin.at) !== null)
    return [createFinding('dependencies/insecure-source', { ...parts, severity: 'high' })];
  switch (origin.kind) {
    case 'git':
      return origin.isPinned
        ? [createFinding('dependencies/git-source', { ...parts, severity: 'info' })]
        : [createFinding('dependencies/moving-git-source', { ...parts, severity: 'medium' })];
    case 'url':
      return [createFinding('dependencies/url-source', { ...parts, severity: origin.isPinned ? 'info' : 'low' })];
    case 'path':
      return leadsOutside(folder, origin.at)
        ? [createFinding('dependencies/path-outside', { ...parts, severity: 'medium' })]
        : [];
  }
}

function leadsOutside(folder: string, at: string): boolean {
  const path = at.replace(/^(?:file|link|portal):(?:\/\/)?/, '');
  if (/^(?:\/|~|[A-Za-z]:[\\/])/.test(path)) return true;
  const joined = posix.normalize(`${folder === '' ? '.' : folder}/${path}`);
  return joined === '..' || joined.startsWith('../');
}

export function findInsecureServers(project: PackageFiles): readonly RawFinding[] {
  return [...project.manifests, ...project.locks].flatMap(({ path, facts }) =>
    facts.insecure.map(({ host, line, count, isChecked }) =>
      createFinding('dependencies/insecure-registry', {
        path,
        line,
        // Without encryption, only a checksum reveals that a package was changed.
        severity: isChecked ? 'low' : 'high',
        evidence: `http://${host}`,
        values: { host, count },
        identity: host,
      }),
    ),
  );
}
