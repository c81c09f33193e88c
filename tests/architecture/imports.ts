import { matchesAny, matchGlob } from './globs.ts';
import type { ImportRule, PackageHome } from './import-table.ts';
import type { SourceFile } from './sources.ts';

/** Imports that the table does not allow, one line each. */
export function findForbiddenImports(files: readonly SourceFile[], table: readonly ImportRule[]): readonly string[] {
  return files.flatMap((file) => {
    const rule = table.find(({ from }) => matchGlob(from, file.path) !== null);
    if (!rule) return [`${file.path}: no rule of the import table covers it; say there what it may import`];
    const names = matchGlob(rule.from, file.path) ?? {};
    return file.imports.flatMap(({ target, line, typeOnly }) => {
      if (target === null || matchesAny(rule.may, target, names)) return [];
      const typesAllowed = matchesAny(rule.types ?? [], target, names);
      if (typeOnly && typesAllowed) return [];
      const problem = typesAllowed ? 'may import only types of' : 'must not import';
      return [`${file.path}:${line}: ${problem} ${target} (rule: ${rule.from})`];
    });
  });
}

/** Outside packages that are imported away from home, or that have none. */
export function findHomelessPackages(files: readonly SourceFile[], homes: readonly PackageHome[]): readonly string[] {
  const product = files.filter(({ path }) => !path.startsWith('tests/') && !/\.(test|fixture)\.ts$/.test(path));
  return product.flatMap((file) =>
    file.imports.flatMap(({ package: name, line, typeOnly }) => {
      if (name === null) return [];
      const entry = homes.find((home) => matchGlob(home.name, name) !== null);
      if (!entry) return [`${file.path}:${line}: ${name} has no home; add it to PACKAGE_HOMES`];
      if (matchesAny(entry.homes, file.path)) return [];
      const typesAllowed = matchesAny(entry.types ?? [], file.path);
      if (typeOnly && typesAllowed) return [];
      const where = [...entry.homes, ...(entry.types ?? []).map((home) => `${home} (types)`)].join(', ');
      return [`${file.path}:${line}: ${name} may be imported only in ${where}`];
    }),
  );
}

/** Circles of imports, types included: each as `a → b → a`, once. */
export function findCycles(files: readonly SourceFile[]): readonly string[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const finished = new Set<string>();
  const cycles: string[] = [];
  const visit = (path: string, trail: readonly string[]): void => {
    const start = trail.indexOf(path);
    if (start !== -1) {
      cycles.push([...trail.slice(start), path].join(' → '));
      return;
    }
    if (finished.has(path)) return;
    const targets = new Set(byPath.get(path)?.imports.map(({ target }) => target));
    for (const target of targets) if (target !== null) visit(target, [...trail, path]);
    finished.add(path);
  };
  for (const { path } of files) visit(path, []);
  return cycles;
}
