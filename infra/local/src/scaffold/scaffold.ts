import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A file with its path relative to the checkout. */
export interface ScaffoldFile {
  readonly path: string;
  readonly text: string;
}

export interface Scaffold {
  readonly files: readonly ScaffoldFile[];
  /** New text of existing files. */
  readonly changes: readonly ScaffoldFile[];
  /** Next steps for the author, one per line. */
  readonly next: readonly string[];
}

/** A refused scaffold, with the reason for the person. */
export interface RefusedScaffold {
  readonly problem: string;
}

/** A kind of scaffold that `npm run new` makes. */
export interface ScaffoldKind {
  readonly name: string;
  readonly description: string;
  /** The name with its article and in the plural, for messages. */
  readonly wording: readonly [one: string, many: string];
  /** The example that is copied; its tests pass. Its name is not available. */
  readonly template: string;
  readonly namePattern: RegExp;
  /** `namePattern` as a sentence. */
  readonly nameRule: string;
  /** Paths, relative to the checkout, that must not exist yet. */
  listPaths(name: string, checkout: string): readonly string[];
  /** Plans the files for a name that `findNameProblem` accepts. Writes nothing. */
  plan(checkout: string, name: string): Scaffold | RefusedScaffold;
}

/** Returns why a scaffold of this kind cannot have this name; null when it can. */
export function findNameProblem(kind: ScaffoldKind, checkout: string, name: string): string | null {
  const [one, many] = kind.wording;
  if (!kind.namePattern.test(name)) return `'${name}' cannot be the name of ${one}. ${kind.nameRule}`;
  if (name === kind.template) return `'${name}' is the example that new ${many} are made of. Take another name.`;
  const taken = kind.listPaths(name, checkout).find((path) => existsSync(join(checkout, path)));
  return taken === undefined ? null : `${taken} is there already. Take another name, or remove it first.`;
}

/** Writes and formats all files, or none: after a failure new files are removed and changed ones restored. Throws the system's error. */
export function writeScaffold(checkout: string, { files, changes }: Scaffold): void {
  const written: string[] = [];
  const changed: ScaffoldFile[] = [];
  try {
    for (const { path, text } of files) {
      const made = mkdirSync(dirname(join(checkout, path)), { recursive: true });
      if (made !== undefined) written.push(made);
      const file = openSync(join(checkout, path), 'wx');
      written.push(join(checkout, path));
      writeFileSync(file, text);
      closeSync(file);
    }
    format(checkout, files);
    for (const { path, text } of changes) {
      changed.push({ path, text: readFileSync(join(checkout, path), 'utf8') });
      writeFileSync(join(checkout, path), text);
    }
  } catch (error) {
    for (const path of written.toReversed()) rmSync(path, { recursive: true, force: true });
    for (const { path, text } of changed) writeFileSync(join(checkout, path), text);
    throw error;
  }
}

/** Formats the files, because another name changes line lengths and `npm run check` requires formatting. */
function format(checkout: string, files: readonly ScaffoldFile[]): void {
  const args = ['node_modules/prettier/bin/prettier.cjs', '--write', '--ignore-unknown', '--log-level', 'error'];
  const { status, stderr } = spawnSync(process.execPath, [...args, ...files.map(({ path }) => path)], {
    cwd: checkout,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`the files cannot be formatted: ${stderr}`);
}
