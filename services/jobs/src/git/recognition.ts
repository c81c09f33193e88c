import { z } from 'zod';
import { ServiceFile } from '@signalbox/contracts/operations/deploy';
import { parseJson } from '@signalbox/contracts/system-error';

/** Folders in which pages may lie that need no program of their own. */
export const PAGE_FOLDERS = ['public', 'dist', 'site', 'www'] as const;

/** What a commit has at its root: the names of its files, and the text of some of them. */
export interface Root {
  /** Also `public/index.html` and the like. */
  readonly names: ReadonlySet<string>;
  /** Null for a file that is not there. */
  readonly packageJson: string | null;
  readonly procfile: string | null;
}

const Manifest = z.object({
  scripts: z.record(z.string(), z.string()).default({}),
  dependencies: z.record(z.string(), z.unknown()).default({}),
  devDependencies: z.record(z.string(), z.unknown()).default({}),
});

type Commands = Pick<z.input<typeof ServiceFile>, 'build' | 'start'>;

/** How a program without a `signalbox.json` is built and started, as its other files say; null when they do not say it. Pure. */
export function recognize(root: Root): ServiceFile | null {
  const commands = ofProcfile(root) ?? ofManifest(root) ?? ofPython(root) ?? ofPages(root);
  const file = ServiceFile.safeParse(commands);
  return commands && file.success ? file.data : null;
}

/** The line `web:` of a Procfile, as its hosts run it: by a shell, which fills in `$PORT`. */
function ofProcfile(root: Root): Commands | null {
  const web = /^web:[ \t]*(\S.*)$/m.exec(root.procfile ?? '')?.[1]?.trim();
  if (web === undefined) return null;
  const path = root.names.has('requirements.txt') ? 'PATH="$PWD/.venv/bin:$PATH"; ' : '';
  return { build: [...pythonSteps(root), ...nodeSteps(root)], start: ['/bin/sh', '-c', `${path}exec ${web}`] };
}

/**
 * The script `start` of a package, or the one with which Vite and its kin serve what they have built. Vite's server for development is
 * none of these: it listens where it likes, and serves the sources.
 */
function ofManifest(root: Root): Commands | null {
  const manifest = manifestOf(root);
  if (!manifest) return null;
  const { start, preview, build } = manifest.scripts;
  const isForDevelopment = start !== undefined && DEVELOPMENT.test(start);
  if (start !== undefined && !(isForDevelopment && build !== undefined))
    return { build: nodeSteps(root), start: ['npm', 'start'] };
  if (build === undefined) return null;
  const hasVite = 'vite' in { ...manifest.dependencies, ...manifest.devDependencies };
  if (preview === undefined && !hasVite) return null;
  const serve = preview === undefined ? './node_modules/.bin/vite preview' : 'npm run preview --';
  return {
    build: nodeSteps(root),
    start: ['/bin/sh', '-c', `exec ${serve} --host "$HOST" --port "$PORT" --strictPort`],
  };
}

/** `vite`, `vite dev --open`, `vite serve`. */
const DEVELOPMENT = /^\s*vite(?:\s+(?:dev|serve))?(?:\s+-.*)?\s*$/;

/** What Python programs are called that serve something, as their frameworks' own guides name them. */
const PYTHON_PROGRAMS = ['main.py', 'app.py', 'server.py', 'wsgi.py'] as const;

/**
 * One program of Python: Django's own server, or the file itself, which has to listen on `$PORT`. What it needs is installed beside it;
 * without a list of that it is the standard library, and what the machine has.
 */
function ofPython(root: Root): Commands | null {
  const { names } = root;
  const hasNeeds = names.has('requirements.txt');
  const inside = (words: string): Commands => ({
    build: pythonSteps(root),
    start: ['/bin/sh', '-c', hasNeeds ? `PATH="$PWD/.venv/bin:$PATH"; exec python ${words}` : `exec python3 ${words}`],
  });
  if (names.has('manage.py')) return inside('manage.py runserver --noreload "$HOST:$PORT"');
  const program = PYTHON_PROGRAMS.find((name) => names.has(name));
  return program === undefined ? null : inside(program);
}

/** A folder of pages that needs no program of its own. */
function ofPages({ names }: Root): Commands | null {
  const folder = names.has('index.html') ? '.' : PAGE_FOLDERS.find((name) => names.has(`${name}/index.html`));
  if (folder === undefined) return null;
  const below = folder === '.' ? '' : ` --directory ${folder}`;
  return { start: ['/bin/sh', '-c', `exec python3 -m http.server "$PORT" --bind "$HOST"${below}`] };
}

/** Whether commands take Python, which the image that programs are built on does not have. Pure. */
export function takesPython({ build, start = [] }: Pick<ServiceFile, 'build' | 'start'>): boolean {
  return [...build, start].flat().some((word) => /\bpython3?\b|\.venv\//.test(word));
}

function nodeSteps(root: Root): string[][] {
  const manifest = manifestOf(root);
  if (!manifest) return [];
  const needs = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies }).length > 0;
  const install = root.names.has('package-lock.json') ? ['npm', 'ci'] : ['npm', 'install'];
  return [...(needs ? [install] : []), ...(manifest.scripts['build'] === undefined ? [] : [['npm', 'run', 'build']])];
}

function pythonSteps({ names }: Root): string[][] {
  if (!names.has('requirements.txt')) return [];
  return [
    ['python3', '-m', 'venv', '.venv'],
    ['.venv/bin/pip', 'install', '--requirement', 'requirements.txt'],
  ];
}

function manifestOf({ packageJson }: Root): z.output<typeof Manifest> | null {
  // None, or none that npm would read, is no manifest.
  return Manifest.safeParse(parseJson(packageJson ?? '')).data ?? null;
}
