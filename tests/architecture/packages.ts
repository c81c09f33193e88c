import type { SourceFile } from './sources.ts';

/** The part of a package.json that says what the package needs. `folder`: from the root, such as `shared/store`. */
export interface Manifest {
  readonly folder: string;
  readonly name: string;
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** Imports of product files that the package.json of their package does not declare, one line each. */
export function findUndeclaredImports(files: readonly SourceFile[], manifests: readonly Manifest[]): readonly string[] {
  return manifests.flatMap((manifest) => {
    const { folder, name, dependencies, devDependencies, optionalDependencies } = manifest;
    const declared = new Set(Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies }));
    return productOf(files, manifest).flatMap(({ path, imports }) =>
      imports
        .map((edge) => ({ ...edge, needed: packageOf(edge.specifier) }))
        .filter(({ needed }) => needed !== null && needed !== name && !declared.has(needed))
        .map(({ line, needed }) => `${path}:${line}: ${folder}/package.json does not declare ${needed}`),
    );
  });
}

/** Packages, and dependencies on them, whose version is not the one of the root. */
export function findOtherVersions(manifests: readonly Manifest[], version: string): readonly string[] {
  const names = new Set(manifests.map(({ name }) => name));
  return manifests.flatMap((manifest) => {
    const needed = Object.entries(manifest.dependencies ?? {}).filter(([name]) => names.has(name));
    return [[manifest.name, manifest.version] as const, ...needed]
      .filter(([, given]) => given !== version)
      .map(
        ([name, given]) => `${manifest.folder}/package.json: ${name} has version ${given}, and the release ${version}`,
      );
  });
}

/** Circles of workspace packages that import each other, tests left out: each as `a → b → a`, once. */
export function findPackageCycles(files: readonly SourceFile[], manifests: readonly Manifest[]): readonly string[] {
  const names = new Set(manifests.map(({ name }) => name));
  const needs = new Map(
    manifests.map((manifest) => {
      const edges = productOf(files, manifest).flatMap(({ imports }) => imports);
      const needed = new Set(edges.map(({ specifier }) => packageOf(specifier)));
      return [manifest.name, [...needed].filter((name) => name !== null && names.has(name) && name !== manifest.name)];
    }),
  );
  const finished = new Set<string>();
  const cycles: string[] = [];
  const visit = (name: string, trail: readonly string[]): void => {
    const start = trail.indexOf(name);
    if (start !== -1) return void cycles.push([...trail.slice(start), name].join(' → '));
    if (finished.has(name)) return;
    for (const needed of needs.get(name) ?? []) visit(needed ?? '', [...trail, name]);
    finished.add(name);
  };
  for (const { name } of manifests) visit(name, []);
  return cycles;
}

function productOf(files: readonly SourceFile[], { folder }: Manifest): readonly SourceFile[] {
  return files.filter(({ path }) => path.startsWith(`${folder}/`) && !/\.(test|fixture)\.ts$/.test(path));
}

/** The package that a specifier names; null for a file of the same package and for what belongs to Node. */
function packageOf(specifier: string): string | null {
  if (specifier.startsWith('.') || specifier.startsWith('node:')) return null;
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}
