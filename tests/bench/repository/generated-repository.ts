import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';

/** A repository that is the same each time: files in folders, each changed now and then by one of seven people. */
export interface GeneratedRepository {
  readonly dir: string;
  /** Commits another line in one file. */
  change(): void;
}

const FIRST_AT = 1_700_000_000;
const CHANGED_FILES = 12;

/** Makes a bare repository of so many files and commits below `dir`. */
export function generateRepository(
  dir: string,
  { files, commits, path }: { readonly files: number; readonly commits: number; readonly path: string },
): GeneratedRepository {
  mkdirSync(dir, { recursive: true });
  const git = (words: readonly string[], input: string): unknown =>
    execFileSync('git', ['-C', dir, ...words], {
      input,
      env: { PATH: path, HOME: dir },
      stdio: ['pipe', 'ignore', 'inherit'],
    });
  git(['init', '--quiet', '--bare', '--initial-branch=main'], '');
  let made = 0;
  const commit = (changed: readonly number[], from = ''): string => {
    made += 1;
    const who = `P${made % 7} <p${made % 7}@example.org> ${FIRST_AT + made * 40_000} +0000`;
    const contents = changed.map((n) => `M 100644 inline ${nameOf(n)}\n${blob(textOf(n, made))}`).join('');
    return `commit refs/heads/main\ncommitter ${who}\ndata 6\nchange\n${from}${contents}\n`;
  };
  const stream = [commit(Array.from({ length: files }, (_, n) => n))];
  for (let n = 1; n < commits; n += 1)
    stream.push(commit(Array.from({ length: CHANGED_FILES }, (_, k) => (n * 131 + k * 977) % files)));
  git(['fast-import', '--quiet'], stream.join(''));
  return {
    dir,
    change: () => git(['fast-import', '--quiet'], commit([(made * 61) % files], 'from refs/heads/main^0\n')),
  };
}

function nameOf(n: number): string {
  const folder = `src/part${n % 40}/area${n % 9}`;
  if (n % 25 === 0) return `docs/area${n % 9}/page${n}.md`;
  return `${folder}/file${n}.${['ts', 'py', 'go'][n % 3]}`;
}

function blob(text: string): string {
  return `data ${Buffer.byteLength(text)}\n${text}\n`;
}

/** Code of some functions; a few are too long, too deep, or copied from another file. */
function textOf(n: number, version: number): string {
  if (n % 25 === 0) return `# Page ${n}\n\nSee [the other](page${n + 25}.md), version ${version}.\n`;
  const lines = (seed: number): string =>
    Array.from(
      { length: 12 + (seed % 30) },
      (_, k) => `  total${seed % 97} = combine(total${seed % 97}, read${k}(input, ${(seed * 31 + k) % 211}));`,
    ).join('\n');
  const part = (k: number): string =>
    `function work${k}(input, total${k % 97}) {\n${lines(n % 50 === 1 ? k : n * 7 + k)}\n}\n`;
  return `// File ${n}, version ${version}.\n${Array.from({ length: 3 + (n % 5) }, (_, k) => part(k)).join('\n')}`;
}
