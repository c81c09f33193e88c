import { joinPatterns } from '../../any-of.ts';
import type { Severity } from '@signalbox/contracts/repository/finding';
import type { RepositoryFile } from '../../../analyzer.ts';
import { toEvidence, toSafeName } from '../../evidence.ts';
import { isDocumentation, isExample, isTest, isVendored } from '../../kinds-of-files.ts';
import { createProblem, type Problem } from '../../problem.ts';

/** A finding whose rule name lacks the prefix of the analyzer. */
export type PathFinding = Problem & { readonly path: string };

type File = Pick<RepositoryFile, 'path' | 'sizeBytes'>;

const MB = 1_000_000;
/** Size limit of a file. Every clone contains all versions of a file; GitHub warns from 50 MB. */
const LARGE_BYTES = 5 * MB;
const BIG_BYTES = MB;
const MAX_FILES = 20;

/** Folders of package managers and build tools, without `dist`, which GitHub actions commit on purpose. */
const DEPENDENCIES = /^(.*?(?:^|\/)(?:node_modules|bower_components|site-packages))\/./;
const BUILD_OUTPUT = joinPatterns(
  /^(.*?(?:^|\/)(?:__pycache__|\.next|\.nuxt|\.gradle|\.pytest_cache|\.mypy_cache|\.nyc_output))\/./,
  /^(.*?(?:^|\/)(?:(?:bin|obj)\/(?:Debug|Release)|target\/(?:classes|debug|release)|[^/]+\.egg-info))\/./,
  /^(.*\.(?:pyc|pyo|class|o|obj|pdb|ilk))$/,
);
const JUNK =
  /(?:^|\/)(?:\.DS_Store|Thumbs\.db|ehthumbs\.db|npm-debug\.log|yarn-error\.log|\.idea\/workspace\.xml|__MACOSX\/[^]*|\.[^/]+\.sw[op]|[^/]+\.(?:orig|rej|bak)|[^/]+~)$/;
const MEDIA =
  /\.(?:png|jpe?g|gif|svg|webp|avif|ico|icns|bmp|tiff?|psd|ai|mp[34]|m4[av]|mov|webm|ogg|wav|flac|avi|ttf|otf|woff2?|eot|pdf|glb|gltf|fbx|blend)$/i;
/** Lock files are large by nature. */
const LOCK = /(?:^|\/)(?:[^/]*[-.]lock(?:\.json|\.yaml|b)?|npm-shrinkwrap\.json|go\.sum|[^/]+\.map|[^/]+\.snap)$/;

/** Finds committed dependencies, build output, system files and large files. */
export function findCommittedArtifacts(files: readonly File[]): readonly PathFinding[] {
  // Test fixtures may resemble any of these files.
  const own = files.filter(({ path }) => !isTest(path) && !isExample(path));
  const dependencies = groupBy(own, DEPENDENCIES);
  const rest = own.filter(({ path }) => !DEPENDENCIES.test(path));
  return [
    ...createFolderFindings('committed-dependencies', 'medium', dependencies),
    ...createFolderFindings('committed-build', 'low', groupBy(rest, BUILD_OUTPUT)),
    ...rest
      .filter(({ path }) => JUNK.test(path) && !isVendored(path))
      .slice(0, MAX_FILES)
      .map(({ path }) =>
        createPathFinding('committed-junk', 'low', path, { name: toSafeName(path.slice(path.lastIndexOf('/') + 1)) }),
      ),
    ...findLarge(rest),
  ];
}

function findLarge(files: readonly File[]): readonly PathFinding[] {
  const large = files
    .filter(({ path, sizeBytes }) => {
      if (LOCK.test(path) || isVendored(path)) return false;
      return sizeBytes > LARGE_BYTES || (sizeBytes > BIG_BYTES && !MEDIA.test(path) && !isDocumentation(path));
    })
    .toSorted((one, other) => other.sizeBytes - one.sizeBytes);
  return large.slice(0, MAX_FILES).map(({ path, sizeBytes }) =>
    createPathFinding('large-file', sizeBytes > LARGE_BYTES ? 'low' : 'info', path, {
      megabytes: Math.round(sizeBytes / (MB / 10)) / 10,
    }),
  );
}

function groupBy(files: readonly File[], pattern: RegExp): ReadonlyMap<string, number> {
  const groups = new Map<string, number>();
  for (const { path } of files) {
    const match = pattern.exec(path);
    const folder = match?.slice(1).find((group) => group !== undefined);
    if (folder !== undefined) groups.set(folder, (groups.get(folder) ?? 0) + 1);
  }
  return groups;
}

function createFolderFindings(
  rule: string,
  severity: Severity,
  groups: ReadonlyMap<string, number>,
): readonly PathFinding[] {
  return [...groups]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .slice(0, MAX_FILES)
    .map(([folder, files]) => createPathFinding(rule, severity, folder, { name: toSafeName(folder), files }));
}

/** Builds a finding whose evidence is the file path. */
export function createPathFinding(
  rule: string,
  severity: Severity,
  path: string,
  values: Problem['values'],
): PathFinding {
  return { ...createProblem(rule, severity, { evidence: toEvidence(path), values }), path };
}
