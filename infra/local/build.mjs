import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';

const SOURCE = /\.(ts|json)$/;
/** What pages are made of; it is in their bundles. */
const PAGE_KIT = 'infra/page-kit/';
/** Sources that no service loads: tests, and pages that are bundled for browsers. */
const NOT_BUILT = /\.(test|fixture|d)\.ts$|\/page(-kit)?\//;
/** What bundles the page of its folder. A page without one is bundled when it is asked for. */
const BUNDLE = /\/page\/bundle\.mjs$/;

/**
 * Brings the `dist` folders of all packages up to the sources, so that no loader runs when a service starts. What has not changed since
 * the last build is left alone: nothing is compiled, and nothing is ever older than its source. Types are not checked.
 * @param {string} checkout
 * @param {(line: string) => void} report
 * @returns {Promise<string | null>} what the compiler refuses; null when everything is built
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
  // They hold modules of every kind, so any change may be one of theirs.
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
 * Every source of every package with a stamp that changes when it is edited, replaced or checked out anew.
 * @param {string} checkout
 * @returns {Map<string, string>} paths from the checkout on
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
      bundle: true, // each file stands for itself all the same: what it imports is external
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
    await stop(); // its process would stay as long as ours
  }
}

/** What esbuild refuses, with its lines. Throws everything else. @param {any} error @returns {Promise<string>} */
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
 * Removes programs whose source is gone: commands, agents and capabilities are found by walking their folders.
 * @param {string} checkout
 */
function removeOrphans(checkout) {
  for (const folder of packageFolders(checkout)) {
    const dist = join(checkout, folder, 'dist');
    for (const file of filesBelow(dist).filter((path) => path.endsWith('.js'))) {
      const source = join(checkout, folder, 'src', relative(dist, file).replace(/js$/, 'ts'));
      if (!existsSync(source) && !existsSync(`${source}x`)) rmSync(file, { force: true });
    }
  }
}

/** @param {string} path @param {Uint8Array} contents */
function writeIfChanged(path, contents) {
  if (existsSync(path) && readFileSync(path).equals(contents)) return;
  mkdirSync(dirname(path), { recursive: true });
  writeInOneStep(path, contents);
}

/** Another start may build, or load, at the same moment. @param {string} path @param {string | Uint8Array} contents */
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
    return {}; // nothing was built yet, or the disk was full
  }
}
