import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A file from the root of the checkout. */
export interface ScaffoldFile {
  readonly path: string;
  readonly text: string;
}

/** What a person asked for, before anything is written. */
export interface Scaffold {
  readonly files: readonly ScaffoldFile[];
  /** Files that are there, with the text that they get. */
  readonly changes: readonly ScaffoldFile[];
  /** What to do next, a line each. */
  readonly next: readonly string[];
}

/** Why nothing is written, as sentences for the person. */
export interface Refused {
  readonly problem: string;
}

/** Something that `npm run new` makes. A further kind is a further entry in `kinds.ts`. */
export interface ScaffoldKind {
  readonly name: string;
  /** What is made, in a few words. */
  readonly what: string;
  /** Reads the checkout and writes nothing. */
  plan(checkout: string, name: string): Scaffold | Refused;
}

/**
 * Writes all of it, formatted, or nothing: when a file cannot be written, those before it are removed, and what was changed gets its old
 * text again. Throws the system's error.
 */
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

/** The first of these paths that is there already; null when all are new. */
export function findTaken(checkout: string, paths: readonly string[]): string | null {
  return paths.find((path) => existsSync(join(checkout, path))) ?? null;
}

/** Another name makes lines longer or shorter, and the checks look at the format. */
function format(checkout: string, files: readonly ScaffoldFile[]): void {
  const words = ['node_modules/prettier/bin/prettier.cjs', '--write', '--ignore-unknown', '--log-level', 'error'];
  const { status, stderr } = spawnSync(process.execPath, [...words, ...files.map(({ path }) => path)], {
    cwd: checkout,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`the files cannot be formatted: ${stderr}`);
}
