import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A file with its path relative to the checkout. */
export interface ScaffoldFile {
  readonly path: string;
  readonly text: string;
}

/** The planned files of a scaffold. */
export interface Scaffold {
  readonly files: readonly ScaffoldFile[];
  /** Existing files with their new text. */
  readonly changes: readonly ScaffoldFile[];
  /** Next steps, one per line. */
  readonly next: readonly string[];
}

/** Why nothing is written, for the person. */
export interface Refused {
  readonly problem: string;
}

/** A kind of scaffold of `npm run new`, listed in kinds.ts. */
export interface ScaffoldKind {
  readonly name: string;
  /** A short description. */
  readonly what: string;
  /** Plans the scaffold without writing. */
  plan(checkout: string, name: string): Scaffold | Refused;
}

/** Writes all files, formatted, or none: on a failure new files are removed and changed ones restored. Throws the system's error. */
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

/** The first existing path; null when none exists. */
export function findTaken(checkout: string, paths: readonly string[]): string | null {
  return paths.find((path) => existsSync(join(checkout, path))) ?? null;
}

/** Another name changes line lengths, and the checks require formatting. */
function format(checkout: string, files: readonly ScaffoldFile[]): void {
  const words = ['node_modules/prettier/bin/prettier.cjs', '--write', '--ignore-unknown', '--log-level', 'error'];
  const { status, stderr } = spawnSync(process.execPath, [...words, ...files.map(({ path }) => path)], {
    cwd: checkout,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`the files cannot be formatted: ${stderr}`);
}
