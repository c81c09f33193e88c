import { ServiceFile, type PlanNote, type RunSettings } from '@signalbox/contracts/operations/deploy';
import type { z } from 'zod';
import { findNodeCommands } from './node-commands.ts';
import { readNetlify } from './netlify.ts';
import { findNodeRelease } from './node-release.ts';
import { listNodeSteps, listNodeWays } from './node-ways.ts';
import { findOwnProgram, findProgram, readProcfile, withExec } from './procfile.ts';
import { PYTHON, servePages, type Draft, type Need, type RootFiles, type Way } from './way.ts';

/** Folders whose static pages need no program. */
export const PAGE_FOLDERS = ['public', 'dist', 'site', 'www'] as const;

/** What is said of a commit beside its usual files. */
interface Said {
  /** Its signalbox.json. */
  readonly file: z.input<typeof ServiceFile> | null;
  /** What people said in the chat, which goes before it. */
  readonly run?: RunSettings | undefined;
  /** What applies to every way. */
  readonly notes?: readonly PlanNote[];
}

/**
 * Lists the ways in which a commit can be built and started, the best first; empty when nothing says how. A start command that somebody
 * named is the only way; other settings apply to each. Pure.
 */
export function listWays(root: RootFiles, { file, run = {}, notes = [] }: Said): readonly Way[] {
  const { build: line, start } = run;
  const build = line === undefined ? (file?.build ?? []) : [['/bin/sh', '-c', line]];
  const named = { needs: [], isGuess: false };
  if (start !== undefined)
    return complete([{ ...named, of: 'chat', build: listBuildSteps(root), start: startLine(root, start) }]);
  if (file?.start !== undefined) return complete([{ ...named, of: 'signalbox.json', build, start: file.start }]);
  return complete([
    ...(root.names.has('Dockerfile') ? [IMAGE] : []),
    ...listProcfileWays(root),
    ...listNodeWays(root).filter(({ isGuess }) => !isGuess),
    ...listNetlifyWays(root),
    ...listNodeWays(root).filter(({ isGuess }) => isGuess),
    ...listGoWays(root),
    ...listPythonWays(root),
    ...(findLanguage(root) === null ? listPageWays(root) : []),
    ...listForeignWays(root),
  ]);

  function complete(drafts: readonly Draft[]): readonly Way[] {
    const health = { ...file?.health, ...toHealth(run) };
    const given = listGiven(run);
    const release = findNodeRelease(root.packageJson, process.versions.node);
    return drafts.flatMap(({ of, needs, isGuess, notes: own = [], ...commands }) => {
      const steps = build.length > 0 ? build : commands.build;
      const node = isOfNode(of) ? release : null;
      const words = {
        build: node?.build(steps) ?? steps,
        ...(commands.start && { start: node?.start(commands.start) ?? commands.start }),
      };
      const parsed = ServiceFile.safeParse({ ...file, ...words, health });
      const all = [...(given.length > 0 ? [{ kind: 'given' as const, settings: given }] : []), ...own, ...notes];
      return parsed.success ? [{ of, needs, isGuess, notes: all, file: parsed.data }] : [];
    });
  }
}

/** A signalbox.json and an image say themselves which Node they run on. */
function isOfNode(of: string): boolean {
  return ['package.json', 'Procfile', 'netlify.toml', 'chat'].includes(of);
}

function toHealth({ healthPath: path, healthStatus: status, healthHeaders: headers }: RunSettings) {
  return { ...(path && { path }), ...(status && { status }), ...(headers && { headers }) };
}

/** Values of headers may be secret, so only their names are listed. */
function listGiven({ build, start, healthPath, healthStatus, healthHeaders }: RunSettings): string[] {
  const all = { build, start, 'health path': healthPath, 'health status': healthStatus };
  const said = Object.entries(all).filter(([, value]) => value !== undefined);
  const headers = Object.keys(healthHeaders ?? {}).slice(0, 5);
  return [
    ...said.map(([name, value]) => `${name}: ${value ?? ''}`),
    ...headers.map((name) => `health header: ${name}`),
  ];
}

/** Lists the commands that fetch a program's dependencies and build it. Pure. */
export function listBuildSteps(root: Pick<RootFiles, 'names' | 'packageJson'>): string[][] {
  return [...listPythonSteps(root), ...listNodeSteps(root)];
}

const IMAGE: Draft = { of: 'Dockerfile', build: [], needs: [{ kind: 'engine' }], isGuess: false };
const GO: Need = { kind: 'program', what: 'go' };
const GO_BUILD = ['go', 'build', '-o', 'bin/', './...'];

/** Uses the `web:` line of a Procfile. */
function listProcfileWays(root: RootFiles): readonly Draft[] {
  const { web, release, others } = readProcfile(root.procfile);
  if (web === null) return [];
  const { names, packageJson } = root;
  const [isPython, isNode, isGo] = [hasPythonNeeds(names), packageJson !== null, names.has('go.mod')];
  const [program, own] = [findProgram(web), findOwnProgram(web)];
  const isMissing = own !== null && !names.has(own) && !isNode && !(isGo && /^bin\/[\w.-]+$/.test(own));
  const language = isPython || isNode || isGo ? null : findLanguage(root);
  const before = release === null ? '' : runOnce(translateLine(root, release));
  return [
    {
      of: 'Procfile',
      build: [...listBuildSteps(root), ...(isGo ? [GO_BUILD] : [])],
      start: startLine(root, web, before),
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

/** Builds and serves the pages that a netlify.toml names. Its command builds, so the script `build` is not run. */
function listNetlifyWays(root: RootFiles): readonly Draft[] {
  const netlify = readNetlify(root.netlify);
  if (netlify === null) return [];
  const { command, publish } = netlify;
  const steps = listBuildSteps(root);
  const { run } = findNodeCommands(root);
  const fetches = steps.filter((words) => words.join(' ') !== run('build').join(' '));
  const build = [...fetches, ...(command === null ? [] : [startLine(root, command)])];
  return [{ of: 'netlify.toml', build, isGuess: false, ...servePages(publish) }];
}

/** Runs a line as the hosts of Procfiles do: by a shell, which finds what the build has installed. */
function startLine(root: RootFiles, line: string, before = ''): string[] {
  const { names, packageJson } = root;
  const folders = [
    hasPythonNeeds(names) && '.venv/bin',
    packageJson !== null && 'node_modules/.bin',
    names.has('go.mod') && 'bin',
  ].filter((one) => one !== false);
  const path = folders.length === 0 ? '' : `PATH="${folders.map((one) => `$PWD/${one}:`).join('')}$PATH"; `;
  return ['/bin/sh', '-c', `${path}${before}${withExec(translateLine(root, line))}`];
}

/** Only a virtual environment has a program named `python` everywhere. */
function translateLine(root: RootFiles, line: string): string {
  const ready = findNodeCommands(root).translate(line);
  return hasPythonNeeds(root.names) ? ready : ready.replace(/^python(?= |$)/, 'python3');
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
  const of = folder === '.' ? 'index.html' : `${folder}/index.html`;
  return [{ of, build: [], isGuess: true, ...servePages(folder) }];
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
