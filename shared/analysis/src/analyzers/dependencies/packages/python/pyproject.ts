import { insecureOf } from '../insecure.ts';
import type { ManifestFacts, Origin, Wanted } from '../package.ts';
import { entriesOf, fieldOf, linesOfNames, listOf, parsed, pathOf, textOf, collectTexts } from '../plain.ts';
import { normalName, readRequirement } from './requirement.ts';

/** Reads pyproject.toml of PEP 621 and Poetry; null when it is malformed or only configures tools. */
export async function readPyproject(text: string): Promise<ManifestFacts | null> {
  const { parse } = await import('smol-toml');
  const root = parsed(() => parse(text));
  const project = fieldOf(root, 'project');
  const poetry = pathOf(root, 'tool', 'poetry');
  if (root === null || (project === undefined && poetry === undefined)) return null;
  const lineOf = linesOfNames(text);
  const at = (name: string): { readonly line?: number } => {
    const line = lineOf(name);
    return line === undefined ? {} : { line };
  };
  const sources = new Map(
    entriesOf(pathOf(root, 'tool', 'uv', 'sources')).map(([name, one]) => [normalName(name), one]),
  );
  const standard = readStandard(root).map((one) => {
    const origin = readOrigin(sources.get(one.name));
    const isLocal = sources.has(one.name) && !origin && fieldOf(sources.get(one.name), 'index') === undefined;
    return { ...one, ...at(one.name), ...(origin ? { range: null, origin } : {}), ...(isLocal ? { range: null } : {}) };
  });
  const indexes = [...listOf(pathOf(root, 'tool', 'uv', 'index')), ...listOf(fieldOf(poetry, 'source'))];
  return {
    role: 'manifest',
    ecosystem: 'PyPI',
    manager: poetry === undefined ? 'uv' : 'poetry',
    name: textOf(fieldOf(project, 'name')) ?? textOf(fieldOf(poetry, 'name')),
    isLibrary: fieldOf(root, 'build-system') !== undefined && fieldOf(poetry, 'package-mode') !== false,
    members: collectTexts(pathOf(root, 'tool', 'uv', 'workspace', 'members')),
    wanted: [...standard, ...readPoetry(poetry).map((one) => ({ ...one, ...at(one.name) }))],
    forced: collectTexts(pathOf(root, 'tool', 'uv', 'override-dependencies')).flatMap(
      (one) => readRequirement(one)?.name ?? [],
    ),
    insecure: insecureOf(
      indexes.flatMap((one) => {
        const address = textOf(fieldOf(one, 'url'));
        return address === null ? [] : [{ address, line: lineOf('url', address) }];
      }),
    ),
  };
}

function readStandard(root: unknown): readonly Wanted[] {
  const read = (texts: readonly string[], traits: object): readonly Wanted[] =>
    texts.flatMap((one) => {
      const wanted = readRequirement(one);
      return wanted ? [{ ...wanted, ...traits }] : [];
    });
  const project = fieldOf(root, 'project');
  return [
    ...read(collectTexts(fieldOf(project, 'dependencies')), {}),
    ...entriesOf(fieldOf(project, 'optional-dependencies')).flatMap(([, group]) =>
      read(collectTexts(group), { isOptional: true }),
    ),
    ...entriesOf(fieldOf(root, 'dependency-groups')).flatMap(([, group]) => read(collectTexts(group), { isDev: true })),
    ...read(collectTexts(pathOf(root, 'tool', 'uv', 'dev-dependencies')), { isDev: true }),
  ];
}

function readPoetry(poetry: unknown): readonly Wanted[] {
  const groups = entriesOf(fieldOf(poetry, 'group')).flatMap(([name, group]) =>
    entriesOf(fieldOf(group, 'dependencies')).map((one) => ({ one, isDev: name !== 'main' })),
  );
  return [
    ...entriesOf(fieldOf(poetry, 'dependencies')).map((one) => ({ one, isDev: false })),
    ...entriesOf(fieldOf(poetry, 'dev-dependencies')).map((one) => ({ one, isDev: true })),
    ...groups,
  ].flatMap(({ one: [name, value], isDev }): readonly Wanted[] => {
    if (name === 'python') return [];
    const origin = readOrigin(value);
    const range = textOf(value) ?? textOf(fieldOf(value, 'version'));
    return [
      {
        name: normalName(name),
        range: origin ? null : range,
        ...(isDev ? { isDev: true } : {}),
        ...(isConditional(value) ? { isOptional: true } : {}),
        ...(origin ? { origin } : {}),
      },
    ];
  });
}

/** True when the lock file may omit the dependency: it is optional or for other Python versions. */
function isConditional(value: unknown): boolean {
  if (Array.isArray(value)) return true;
  return ['optional', 'python', 'markers', 'platform'].some((name) => fieldOf(value, name) !== undefined);
}

/** Reads the origin of a dependency from a table of Poetry, uv or Pipenv. */
export function readOrigin(value: unknown): Origin | null {
  const git = textOf(fieldOf(value, 'git'));
  const commit = textOf(fieldOf(value, 'rev')) ?? textOf(fieldOf(value, 'ref')) ?? '';
  if (git !== null) return { kind: 'git', at: git, isPinned: /^[0-9a-f]{7,40}$/.test(commit) };
  const url = textOf(fieldOf(value, 'url')) ?? textOf(fieldOf(value, 'file'));
  if (url !== null && /^https?:/.test(url)) return { kind: 'url', at: url, isPinned: false };
  const path = textOf(fieldOf(value, 'path'));
  return path === null ? null : { kind: 'path', at: path, isPinned: true };
}
