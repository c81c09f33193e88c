import { countInsecure } from '../insecure.ts';
import { createManifestFacts, type Dependency, type ManifestFacts, type PackageOrigin } from '../package.ts';
import {
  getField,
  getNestedField,
  indexNameLines,
  listEntries,
  listTexts,
  parseToml,
  readVersionRange,
  toList,
  toText,
} from '../plain.ts';
import { normalizeName, readRequirement } from './requirement.ts';

/** Reads pyproject.toml of PEP 621 and Poetry; null when it is malformed or only configures tools. */
export async function readPyproject(text: string): Promise<ManifestFacts | null> {
  const root = await parseToml(text);
  const project = getField(root, 'project');
  const poetry = getNestedField(root, 'tool', 'poetry');
  if (root === null || (project === undefined && poetry === undefined)) return null;
  const lineOf = indexNameLines(text);
  const sources = new Map(
    listEntries(getNestedField(root, 'tool', 'uv', 'sources')).map(([name, one]) => [normalizeName(name), one]),
  );
  const standard = readStandard(root).map((one) => {
    const origin = readOrigin(sources.get(one.name));
    const isLocal = sources.has(one.name) && !origin && getField(sources.get(one.name), 'index') === undefined;
    const elsewhere = origin ? { range: null, origin } : { range: isLocal ? null : one.range };
    return { ...one, ...lineOf(one.name), ...elsewhere };
  });
  const indexes = [...toList(getNestedField(root, 'tool', 'uv', 'index')), ...toList(getField(poetry, 'source'))];
  return createManifestFacts('PyPI', poetry === undefined ? 'uv' : 'poetry', {
    name: toText(getField(project, 'name')) ?? toText(getField(poetry, 'name')),
    isLibrary: getField(root, 'build-system') !== undefined && getField(poetry, 'package-mode') !== false,
    members: listTexts(getNestedField(root, 'tool', 'uv', 'workspace', 'members')),
    wanted: [...standard, ...readPoetry(poetry).map((one) => ({ ...one, ...lineOf(one.name) }))],
    forced: listTexts(getNestedField(root, 'tool', 'uv', 'override-dependencies')).flatMap(
      (one) => readRequirement(one)?.name ?? [],
    ),
    insecure: countInsecure(
      indexes.map((one) => {
        const address = toText(getField(one, 'url'));
        return { address, ...lineOf('url', address ?? '') };
      }),
    ),
  });
}

function readStandard(root: unknown): readonly Dependency[] {
  const read = (texts: readonly string[], traits: object): readonly Dependency[] =>
    texts.flatMap((one) => {
      const wanted = readRequirement(one);
      return wanted ? [{ ...wanted, ...traits }] : [];
    });
  const project = getField(root, 'project');
  return [
    ...read(listTexts(getField(project, 'dependencies')), {}),
    ...listEntries(getField(project, 'optional-dependencies')).flatMap(([, group]) =>
      read(listTexts(group), { isOptional: true }),
    ),
    ...listEntries(getField(root, 'dependency-groups')).flatMap(([, group]) => read(listTexts(group), { isDev: true })),
    ...read(listTexts(getNestedField(root, 'tool', 'uv', 'dev-dependencies')), { isDev: true }),
  ];
}

function readPoetry(poetry: unknown): readonly Dependency[] {
  const groups = listEntries(getField(poetry, 'group')).flatMap(([name, group]) =>
    listEntries(getField(group, 'dependencies')).map((one) => ({ one, isDev: name !== 'main' })),
  );
  return [
    ...listEntries(getField(poetry, 'dependencies')).map((one) => ({ one, isDev: false })),
    ...listEntries(getField(poetry, 'dev-dependencies')).map((one) => ({ one, isDev: true })),
    ...groups,
  ].flatMap(({ one: [name, value], isDev }): readonly Dependency[] => {
    if (name === 'python') return [];
    return [{ ...readTableDependency(name, value, isDev), ...(isConditional(value) ? { isOptional: true } : {}) }];
  });
}

/** Reads a dependency of Poetry or Pipenv: a version range, or a table with a range or an origin. */
export function readTableDependency(name: string, value: unknown, isDev: boolean): Dependency {
  const origin = readOrigin(value);
  const source = origin ? { range: null, origin } : { range: readVersionRange(value) };
  return { name: normalizeName(name), ...source, ...(isDev ? { isDev: true } : {}) };
}

/** True when the lock file may omit the dependency: it is optional or for other Python versions. */
function isConditional(value: unknown): boolean {
  if (Array.isArray(value)) return true;
  return ['optional', 'python', 'markers', 'platform'].some((name) => getField(value, name) !== undefined);
}

function readOrigin(value: unknown): PackageOrigin | null {
  const git = toText(getField(value, 'git'));
  const commit = toText(getField(value, 'rev')) ?? toText(getField(value, 'ref')) ?? '';
  if (git !== null) return { kind: 'git', at: git, isPinned: /^[0-9a-f]{7,40}$/.test(commit) };
  const url = toText(getField(value, 'url')) ?? toText(getField(value, 'file'));
  if (url !== null && /^https?:/.test(url)) return { kind: 'url', at: url, isPinned: false };
  const path = toText(getField(value, 'path'));
  return path === null ? null : { kind: 'path', at: path, isPinned: true };
}
