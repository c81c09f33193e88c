import { z } from 'zod';
import { ServiceFile } from '@signalbox/contracts/operations/deploy';
import { parseJson } from '@signalbox/contracts/system-error';
import { findNodeCommands } from './node-commands.ts';

/** Folders whose static pages need no program. */
export const PAGE_FOLDERS = ['public', 'dist', 'site', 'www'] as const;

/** The files at a commit's root: all names, and the text of some files. */
export interface RootFiles {
  /** Names also include paths such as `public/index.html`. */
  readonly names: ReadonlySet<string>;
  readonly packageJson: string | null;
  readonly procfile: string | null;
}

const Manifest = z.object({
  scripts: z.record(z.string(), z.string()).default({}),
  dependencies: z.record(z.string(), z.unknown()).default({}),
  devDependencies: z.record(z.string(), z.unknown()).default({}),
});

type Commands = Pick<z.input<typeof ServiceFile>, 'build' | 'start'>;

/**
 * Derives how a program without a `signalbox.json` is built and started, from its other files; null when unknown. `isGuess`: its authors
 * name no command that starts it. Pure.
 */
export function recognizeProgram(root: RootFiles): { readonly file: ServiceFile; readonly isGuess: boolean } | null {
  const named = ofProcfile(root) ?? ofStartScript(root);
  const file = ServiceFile.safeParse(named ?? ofPreview(root) ?? ofPython(root) ?? ofPages(root));
  return file.success ? { file: file.data, isGuess: named === null } : null;
}

/** Lists the commands that fetch a program's dependencies and build it. Pure. */
export function listBuildSteps(root: Pick<RootFiles, 'names' | 'packageJson'>): string[][] {
  return [...pythonSteps(root), ...nodeSteps(root)];
}

/** Uses the `web:` line of a Procfile, run by a shell, which expands `$PORT`. */
function ofProcfile(root: RootFiles): Commands | null {
  const web = /^web:[ \t]*(\S.*)$/m.exec(root.procfile ?? '')?.[1]?.trim();
  if (web === undefined) return null;
  const path = root.names.has('requirements.txt') ? 'PATH="$PWD/.venv/bin:$PATH"; ' : '';
  return { build: [...pythonSteps(root), ...nodeSteps(root)], start: ['/bin/sh', '-c', `${path}exec ${web}`] };
}

/** Uses the `start` script. Vite's development server ignores the given port, so a program that can be built does without it. */
function ofStartScript(root: RootFiles): Commands | null {
  const { start, build } = manifestOf(root)?.scripts ?? {};
  if (start === undefined || (DEVELOPMENT.test(start) && build !== undefined)) return null;
  return { build: nodeSteps(root), start: ['npm', 'start'] };
}

/** Uses Vite's preview server. */
function ofPreview(root: RootFiles): Commands | null {
  const manifest = manifestOf(root);
  if (!manifest) return null;
  const { preview, build } = manifest.scripts;
  if (build === undefined) return null;
  const hasVite = 'vite' in { ...manifest.dependencies, ...manifest.devDependencies };
  if (preview === undefined && !hasVite) return null;
  const serve = preview === undefined ? './node_modules/.bin/vite preview' : 'npm run preview --';
  return {
    build: nodeSteps(root),
    start: ['/bin/sh', '-c', `exec ${serve} --host "$HOST" --port "$PORT" --strictPort`],
  };
}

/** Matches `vite`, `vite dev --open` and `vite serve`. */
const DEVELOPMENT = /^\s*vite(?:\s+(?:dev|serve))?(?:\s+-.*)?\s*$/;

/** File names of Python servers in the frameworks' guides. */
const PYTHON_PROGRAMS = ['main.py', 'app.py', 'server.py', 'wsgi.py'] as const;

/** Starts Django's server or a Python file, which has to listen on `$PORT`, with the requirements installed next to it. */
function ofPython(root: RootFiles): Commands | null {
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

function ofPages({ names }: RootFiles): Commands | null {
  const folder = names.has('index.html') ? '.' : PAGE_FOLDERS.find((name) => names.has(`${name}/index.html`));
  if (folder === undefined) return null;
  const below = folder === '.' ? '' : ` --directory ${folder}`;
  return { start: ['/bin/sh', '-c', `exec python3 -m http.server "$PORT" --bind "$HOST"${below}`] };
}

/** True when commands need Python, which the base image lacks. Pure. */
export function needsPython({ build, start = [] }: Pick<ServiceFile, 'build' | 'start'>): boolean {
  return [...build, start].flat().some((word) => /\bpython3?\b|\.venv\//.test(word));
}

function nodeSteps(root: Pick<RootFiles, 'names' | 'packageJson'>): string[][] {
  const manifest = manifestOf(root);
  if (!manifest) return [];
  const needs = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies }).length > 0;
  const { install, run } = findNodeCommands(root);
  return [...(needs ? [[...install]] : []), ...(manifest.scripts['build'] === undefined ? [] : [run('build')])];
}

function pythonSteps({ names }: Pick<RootFiles, 'names'>): string[][] {
  if (!names.has('requirements.txt')) return [];
  return [
    ['python3', '-m', 'venv', '.venv'],
    ['.venv/bin/pip', 'install', '--requirement', 'requirements.txt'],
  ];
}

function manifestOf({ packageJson }: Pick<RootFiles, 'packageJson'>): z.output<typeof Manifest> | null {
  // Npm could not read a broken manifest either, so it counts as missing.
  return Manifest.safeParse(parseJson(packageJson ?? '')).data ?? null;
}
