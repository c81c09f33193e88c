import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';

const SOURCE = /\.(ts|json)$/;
/** Sources shared by all pages, included in their bundles. */
const PAGE_KIT = 'infra/page-kit/';
/** Sources that no service loads: tests and pages. */
const NOT_BUILT = /\.(test|fixture|d)\.ts$|\/page(-kit)?\//;
/** Build script of a page; pages without one are bundled on request. */
const BUNDLE = /\/page\/bundle\.mjs$/;

/**
 * Compiles changed sources of all packages to their `dist` folders, so that services start without a loader. Does not check types.
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
  const begin = Date.now();
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
    `built ${changed.length} ${changed.length === 1 ? 'file' : 'files'} in ${((Date.now() - begin) / 1000).toFixed(1)} s`,
  );
  return null;
}

/**
 * All sources of all packages with a stamp that changes when a file is edited, replaced or checked out again.
 * @param {string} checkout
 * @returns {Map<string, string>} stamps by path relative to the checkout
 */
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

/** @param {string} checkout @returns {string[]} */
function packageFolders(checkout) {
  const { workspaces } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8'));
  return workspaces.flatMap((/** @type {string} */ pattern) => {
    if (!pattern.endsWith('/*')) return [pattern];
    const folder = pattern.slice(0, -2);
    return readdirSync(join(checkout, folder)).map((name) => `${folder}/${name}`);
  });
}

/** @param {string} folder @returns {string[]} */
function filesBelow(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** @param {string} source @returns {string} */
function outputOf(source) {
  if (source.startsWith(PAGE_KIT)) return source;
  const output = source.replace('/src/', '/dist/');
  // All files of a page are in its bundle.
  return NOT_BUILT.test(source) ? output.replace(/(\/page)\/.*$/, '$1/main.js') : output.replace(/\.ts$/, '.js');
}

/**
 * @param {string} checkout
 * @param {string[]} bundles
 * @returns {Promise<string | null>}
 */
async function bundlePages(checkout, bundles) {
  try {
    for (const bundle of bundles) await (await import(pathToFileURL(join(checkout, bundle)).href)).buildPage();
    return null;
  } catch (error) {
    return explainFailure(error);
  }
}

/**
 * @param {string} checkout
 * @param {string[]} sources
 * @returns {Promise<string | null>}
 */
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
      bundle: true, // imports are external, so each file stays separate
      plugins: [IMPORTS_STAY],
      platform: 'node',
      format: 'esm',
      target: 'node20',
      tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true, target: 'ES2023' } },
      logLevel: 'silent',
    });
    for (const { path, contents } of outputFiles) writeIfChanged(path, contents);
    return null;
  } catch (error) {
    return await explainFailure(error);
  } finally {
    await stop(); // ends esbuild's process
  }
}

/** Formats esbuild's errors with their lines; throws other errors. @param {any} error @returns {Promise<string>} */
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

/**
 * Removes built files and folders without a source: commands, agents, capabilities and sentences are discovered by listing folders.
 * @param {string} checkout
 */
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

/** @param {string} path @param {Uint8Array} contents */
function writeIfChanged(path, contents) {
  if (existsSync(path) && readFileSync(path).equals(contents)) return;
  mkdirSync(dirname(path), { recursive: true });
  writeInOneStep(path, contents);
}

/** Writes atomically, because another process may build or load at the same time. @param {string} path @param {string | Uint8Array} contents */
function writeInOneStep(path, contents) {
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, contents);
  renameSync(draft, path);
}

/** @param {string} file @returns {Record<string, string>} */
function readRecord(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return {}; // nothing built yet, or written incompletely
  }
}
