import { posix } from 'node:path';
import type { RawFinding } from '@signalbox/contracts/repository/finding';
import { finding } from '../finding.ts';
import type { ManifestFacts, Origin, Wanted } from '../packages/package.ts';
import { insecureHost } from '../packages/insecure.ts';
import type { Placed, Project } from '../project.ts';
import { locksOf } from './lock-files.ts';

/** Finds dependencies that do not come from a registry. */
export function findForeign(project: Project): readonly RawFinding[] {
  return project.manifests.flatMap((manifest) => {
    const isLocked = locksOf(project, manifest).length > 0;
    // The lock file pins the commit until a developer updates it.
    const settled = (origin: Origin): Origin => ({
      ...origin,
      isPinned: origin.isPinned || (isLocked && origin.kind === 'git'),
    });
    return manifest.facts.wanted.flatMap((wanted) =>
      wanted.origin ? judge(manifest, wanted, settled(wanted.origin)) : [],
    );
  });
}

function judge({ path, folder }: Placed<ManifestFacts>, { name, line }: Wanted, origin: Origin): readonly RawFinding[] {
  const told = { path, line, evidence: `${name}: ${origin.at}`, values: { name, at: origin.at }, identity: name };
  if (origin.kind !== 'path' && insecureHost(origin.at) !== null)
    return [finding('dependencies/insecure-source', { ...told, severity: 'high' })];
  switch (origin.kind) {
    case 'git':
      return [
        finding(origin.isPinned ? 'dependencies/git-source' : 'dependencies/moving-git-source', {
          ...told,
          severity: origin.isPinned ? 'info' : 'medium',
        }),
      ];
    case 'url':
      return [finding('dependencies/url-source', { ...told, severity: origin.isPinned ? 'info' : 'low' })];
    case 'path':
      return leadsOutside(folder, origin.at)
        ? [finding('dependencies/path-outside', { ...told, severity: 'medium' })]
        : [];
  }
}

function leadsOutside(folder: string, at: string): boolean {
  const path = at.replace(/^(?:file|link|portal):(?:\/\/)?/, '');
  if (/^(?:\/|~|[A-Za-z]:[\\/])/.test(path)) return true;
  const joined = posix.normalize(`${folder === '' ? '.' : folder}/${path}`);
  return joined === '..' || joined.startsWith('../');
}

/** Finds package servers without encryption. */
export function findInsecure(project: Project): readonly RawFinding[] {
  return [...project.manifests, ...project.locks].flatMap(({ path, facts }) =>
    facts.insecure.map(({ host, line, count, isChecked }) =>
      finding('dependencies/insecure-registry', {
        path,
        line,
        // Without encryption, only a checksum reveals a changed package.
        severity: isChecked ? 'low' : 'high',
        evidence: `http://${host}`,
        values: { host, count },
        identity: host,
      }),
    ),
  );
}
