import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';

const SOURCE = /\.(ts|json)$/;
const PAGE_KIT = 'infra/page-kit/';
/** Tests, fixtures, declarations and pages, which no service loads. */
const NOT_BUILT = /\.(test|fixture|d)\.ts$|\/page(-kit)?\//;
/** Path of a page's build script. A page without one is bundled on request. */
const BUNDLE = /\/page\/bundle\.mjs$/;

/**
 * Compiles changed sources to the `dist` folders, so that services start without a loader. Does not check types.
 * @param {string} checkout
 * @param {(line: string) => void} report
 * @returns {Promise<string | null>} the compiler's errors; null on success
 */
export async function buildServices(checkout, report) {
  const record = join(checkout, '.signalbox/built.json');
  const sources = listSources(checkout);
  const built = readRecord(record);
  const changed = [...sources].filter(
    ([source, stamp]) => built[source] !== stamp || !existsSync(join(checkout, outputOf(source))),
  );
  const removed = Object.keys(built).filter((source) => !sources.has(source));
  if (changed.length === 0 && removed.length === 0) return null;
  const startedAtMs = Date.now();
  const problem = await compile(
    checkout,
    changed.map(([source]) => source).filter((source) => !NOT_BUILT.test(source)),
  );
  if (problem !== null) return problem;
  // Bundles include modules of all packages, so any change may affect them.
  const brokenPage = await bundlePages(
    checkout,
    [...sources.keys()].filter((source) => BUNDLE.test(source)),
  );
  if (brokenPage !== null) return brokenPage;
  removeOrphans(checkout);
  mkdirSync(dirname(record), { recursive: true });
  writeInOneStep(record, JSON.stringify(Object.fromEntries(sources)));
  report(
    `built ${changed.length} ${changed.length === 1 ? 'file' : 'files'} in ${((Date.now() - startedAtMs) / 1000).toFixed(1)} s`,
  );
  return null;
}

/** Lists the sources of all packages by path, each with a stamp that changes when the file is edited or replaced. */
function listSources(checkout) {
  const sources = new Map();
  for (const folder of packageFolders(checkout)) {
    const paths = filesBelow(join(checkout, folder, 'src')).map((file) => relative(checkout, file));
    const pages = paths.filter((path) => BUNDLE.test(path)).map(dirname);
    for (const path of paths) {
      const isOfPage = path.startsWith(PAGE_KIT) || pages.some((page) => path.startsWith(`${page}/`));
      if (!isOfPage && (!SOURCE.test(path) || NOT_BUILT.test(path))) continue;
      const { ino, size, mtimeMs, ctimeMs } = statSync(join(checkout, path));
      sources.set(path, [ino, size, mtimeMs, ctimeMs].join(' '));
    }
  }
  return sources;
}

function packageFolders(checkout) {
  const { workspaces } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8'));
  return workspaces.flatMap((/** @type {string} */ pattern) => {
    if (!pattern.endsWith('/*')) return [pattern];
    const folder = pattern.slice(0, -2);
    return readdirSync(join(checkout, folder)).map((name) => `${folder}/${name}`);
  });
}

function filesBelow(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

function outputOf(source) {
  if (source.startsWith(PAGE_KIT)) return source;
  const output = source.replace('/src/', '/dist/');
  // A page is built as one bundle.
  return NOT_BUILT.test(source) ? output.replace(/(\/page)\/.*$/, '$1/main.js') : output.replace(/\.ts$/, '.js');
}

async function bundlePages(checkout, bundles) {
  try {
    for (const bundle of bundles) await (await import(pathToFileURL(join(checkout, bundle)).href)).buildPage();
    return null;
  } catch (error) {
    return explainFailure(error);
  }
}

async function compile(checkout, sources) {
  for (const source of sources.filter((path) => path.endsWith('.json')))
    writeIfChanged(join(checkout, outputOf(source)), readFileSync(join(checkout, source)));
  const programs = sources.filter((path) => path.endsWith('.ts'));
  if (programs.length === 0) return null;
  const { build, stop } = await import('esbuild');
  try {
    const { outputFiles } = await build({
      absWorkingDir: checkout,
      entryPoints: programs.map((source) => ({ in: source, out: outputOf(source).replace(/\.js$/, '') })),
      outdir: '.',
      write: false,
      bundle: true, // each file stays separate, because IMPORTS_STAY makes all imports external
      plugins: [IMPORTS_STAY],
      platform: 'node',
      format: 'esm',
      target: 'node24',
      tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true, target: 'ES2023' } },
      logLevel: 'silent',
    });
    for (const { path, contents } of outputFiles) writeIfChanged(path, contents);
    return null;
  } catch (error) {
    return await explainFailure(error);
  } finally {
    await stop(); // ends esbuild's child process
  }
}

/** Formats esbuild's errors with the source lines. Throws any other error. */
async function explainFailure(error) {
  if (!Array.isArray(error.errors)) throw error;
  const { formatMessages, stop } = await import('esbuild');
  const lines = await formatMessages(error.errors, { kind: 'error' });
  await stop();
  return `The sources cannot be built:\n\n${lines.join('\n')}`;
}

/** @type {import('esbuild').Plugin} */
const IMPORTS_STAY = {
  name: 'imports stay',
  setup(build) {
    build.onResolve({ filter: /.*/ }, ({ kind, path }) =>
      kind === 'entry-point' ? undefined : { path: path.replace(/^(\.{1,2}\/.*)\.ts$/, '$1.js'), external: true },
    );
  },
};

/** Removes built files whose source is gone, because services load all commands, agents and capabilities of a folder. */
function removeOrphans(checkout) {
  for (const folder of packageFolders(checkout)) {
    const [src, dist] = [join(checkout, folder, 'src'), join(checkout, folder, 'dist')];
    if (!existsSync(dist)) continue;
    for (const entry of readdirSync(dist, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      const source = join(src, relative(dist, path)).replace(/\.js$/, '.ts');
      const isBuilt = entry.isDirectory() || /\.js(on)?$/.test(path);
      if (isBuilt && !existsSync(source) && !existsSync(`${source}x`)) rmSync(path, { recursive: true, force: true });
    }
  }
}

function writeIfChanged(path, contents) {
  if (existsSync(path) && readFileSync(path).equals(contents)) return;
  mkdirSync(dirname(path), { recursive: true });
  writeInOneStep(path, contents);
}

/** Writes a file atomically, because another process may build or load at the same time. */
function writeInOneStep(path, contents) {
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, contents);
  renameSync(draft, path);
}

function readRecord(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return {}; // the record is missing or incomplete
  }
}
