import { ServiceFile, type PlanNote } from '@signalbox/contracts/operations/deploy';
import type { z } from 'zod';
import { findNodeCommands } from './node-commands.ts';
import { listNodeSteps, listNodeWays } from './node-ways.ts';
import { findOwnProgram, findProgram, readProcfile, withExec } from './procfile.ts';
import type { Draft, Need, RootFiles, Way } from './way.ts';

/** Folders whose static pages need no program. */
export const PAGE_FOLDERS = ['public', 'dist', 'site', 'www'] as const;

type Settings = z.input<typeof ServiceFile>;

/**
 * Lists the ways in which a commit can be built and started, the best first; empty when nothing says how. A start command in `settings`
 * is the only way; its other fields apply to each. Pure.
 */
export function listWays(root: RootFiles, settings: Settings | null, notes: readonly PlanNote[] = []): readonly Way[] {
  const { start, build = [] } = settings ?? {};
  if (start !== undefined) return complete([{ of: 'signalbox.json', build, start, needs: [], isGuess: false }]);
  return complete([
    ...(root.names.has('Dockerfile') ? [IMAGE] : []),
    ...listProcfileWays(root),
    ...listNodeWays(root),
    ...listGoWays(root),
    ...listPythonWays(root),
    ...(findLanguage(root) === null ? listPageWays(root) : []),
    ...listForeignWays(root),
  ]);

  function complete(drafts: readonly Draft[]): readonly Way[] {
    return drafts.flatMap(({ of, needs, isGuess, notes: own = [], ...commands }) => {
      const steps = build.length > 0 ? build : commands.build;
      const file = ServiceFile.safeParse({ ...settings, ...commands, build: steps });
      return file.success ? [{ of, needs, isGuess, notes: [...own, ...notes], file: file.data }] : [];
    });
  }
}

/** Lists the commands that fetch a program's dependencies and build it. Pure. */
export function listBuildSteps(root: Pick<RootFiles, 'names' | 'packageJson'>): string[][] {
  return [...listPythonSteps(root), ...listNodeSteps(root)];
}

const IMAGE: Draft = { of: 'Dockerfile', build: [], needs: [{ kind: 'engine' }], isGuess: false };
const PYTHON: Need = { kind: 'program', what: 'python3' };
const GO: Need = { kind: 'program', what: 'go' };
const GO_BUILD = ['go', 'build', '-o', 'bin/', './...'];

/** Uses the `web:` line of a Procfile as its hosts do: by a shell, which finds what the build has installed. */
function listProcfileWays(root: RootFiles): readonly Draft[] {
  const { web, release, others } = readProcfile(root.procfile);
  if (web === null) return [];
  const { names, packageJson } = root;
  const [isPython, isNode, isGo] = [hasPythonNeeds(names), packageJson !== null, names.has('go.mod')];
  const [program, own] = [findProgram(web), findOwnProgram(web)];
  const isMissing = own !== null && !names.has(own) && !isNode && !(isGo && /^bin\/[\w.-]+$/.test(own));
  const language = isPython || isNode || isGo ? null : findLanguage(root);
  const folders = [isPython && '.venv/bin', isNode && 'node_modules/.bin', isGo && 'bin'].filter(
    (one) => one !== false,
  );
  const path = folders.length === 0 ? '' : `PATH="${folders.map((one) => `$PWD/${one}:`).join('')}$PATH"; `;
  const asRun = (line: string): string => {
    const ready = findNodeCommands(root).translate(line);
    return isPython ? ready : ready.replace(/^python(?= |$)/, 'python3');
  };
  const before = release === null ? '' : runOnce(asRun(release));
  return [
    {
      of: 'Procfile',
      build: [...listBuildSteps(root), ...(isGo ? [GO_BUILD] : [])],
      start: ['/bin/sh', '-c', `${path}${before}${withExec(asRun(web))}`],
      needs: [
        ...(isPython || /^python3?(?= |$)/.test(web) ? [PYTHON] : []),
        ...(isGo ? [GO] : []),
        // A file outside of the commit, such as one of its image.
        ...(/^\/[\w./-]{1,200}$/.test(program) ? [{ kind: 'program' as const, what: program }] : []),
        ...(language === null ? [] : [{ kind: 'language' as const, what: language.name }]),
        ...(isMissing ? [{ kind: 'file' as const, what: own.slice(0, 200) }] : []),
      ],
      isGuess: false,
      notes: [
        ...(release === null ? [] : [{ kind: 'release' as const, command: release.slice(0, 1_000) }]),
        ...(others.length === 0 ? [] : [{ kind: 'notRun' as const, names: others.slice(0, 20) }]),
      ],
    },
  ];
}

/** A restart runs the command of a release no second time. */
function runOnce(command: string): string {
  const mark = '"$HOME/.release-$SIGNALBOX_RELEASE"';
  return `test -e ${mark} || { (${command}) && : > ${mark}; } || exit; `;
}

/** Builds a Go module whose root is a program. */
function listGoWays({ names }: RootFiles): readonly Draft[] {
  if (!names.has('go.mod')) return [];
  const hasProgram = [...names].some((name) => /^\w+\.go$/.test(name));
  const build = [['go', 'build', '-o', 'bin/app', '.']];
  return hasProgram ? [{ of: 'go.mod', build, start: ['bin/app'], needs: [GO], isGuess: true }] : [];
}

/** File names of Python servers in the frameworks' guides. */
const PYTHON_PROGRAMS = ['main.py', 'app.py', 'server.py', 'wsgi.py'] as const;

/** Starts Django's server or a Python file, which has to listen on `$PORT`, with the requirements installed next to it. */
function listPythonWays(root: RootFiles): readonly Draft[] {
  const { names } = root;
  const program = names.has('manage.py') ? 'manage.py' : PYTHON_PROGRAMS.find((name) => names.has(name));
  if (program === undefined) return [];
  const words = program === 'manage.py' ? 'manage.py runserver --noreload "$HOST:$PORT"' : program;
  const line = hasPythonNeeds(names) ? `PATH="$PWD/.venv/bin:$PATH"; exec python ${words}` : `exec python3 ${words}`;
  const start = ['/bin/sh', '-c', line];
  return [{ of: program, build: listPythonSteps(root), start, needs: [PYTHON], isGuess: true }];
}

function listPageWays({ names }: RootFiles): readonly Draft[] {
  const folder = names.has('index.html') ? '.' : PAGE_FOLDERS.find((name) => names.has(`${name}/index.html`));
  if (folder === undefined) return [];
  const below = folder === '.' ? '' : ` --directory ${folder}`;
  const start = ['/bin/sh', '-c', `exec python3 -m http.server "$PORT" --bind "$HOST"${below}`];
  const of = folder === '.' ? 'index.html' : `${folder}/index.html`;
  return [{ of, build: [], start, needs: [PYTHON], isGuess: true }];
}

/** Languages for which Signalbox installs nothing, by the file that names the needs of a program. */
const LANGUAGES = [
  ['Gemfile', 'Ruby'],
  ['composer.json', 'PHP'],
  ['pom.xml', 'Java'],
  ['build.gradle', 'Java'],
  ['build.gradle.kts', 'Java'],
  ['Cargo.toml', 'Rust'],
  ['mix.exs', 'Elixir'],
  ['deno.json', 'Deno'],
] as const;

function findLanguage({ names }: RootFiles): { readonly of: string; readonly name: string } | null {
  const known = LANGUAGES.find(([of]) => names.has(of));
  if (known) return { of: known[0], name: known[1] };
  const project = [...names].find((name) => /\.(?:csproj|fsproj|sln)$/.test(name));
  return project === undefined ? null : { of: project.slice(0, 200), name: '.NET' };
}

/** Ways that are never taken, so that people read why. */
function listForeignWays(root: RootFiles): readonly Draft[] {
  const language = findLanguage(root);
  if (language === null) return [];
  const needs = [{ kind: 'language' as const, what: language.name }];
  return [{ of: language.of, build: [], needs, isGuess: true }];
}

function hasPythonNeeds(names: ReadonlySet<string>): boolean {
  return names.has('requirements.txt') || names.has('uv.lock');
}

function listPythonSteps({ names }: Pick<RootFiles, 'names'>): string[][] {
  if (!hasPythonNeeds(names)) return [];
  const room = ['python3', '-m', 'venv', '.venv'];
  if (names.has('requirements.txt')) return [room, ['.venv/bin/pip', 'install', '--requirement', 'requirements.txt']];
  return [room, ['.venv/bin/pip', 'install', 'uv'], ['.venv/bin/uv', 'sync', '--frozen', '--inexact']];
}
