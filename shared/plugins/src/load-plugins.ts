import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { addErrors, AppError, ERRORS } from '@signalbox/contracts/errors';
import { addSentences, listCatalogFiles } from '@signalbox/messages/say';
import type { PluginTables } from '@signalbox/store/migrations/plugin-tables';
import type { Plugin } from './plugin.ts';

/** Relative folders in AGENTS start here. */
const CHECKOUT = fileURLToPath(new URL('../../../', import.meta.url));
/** Sources load sources, and built code loads built code. */
const ENTRY = import.meta.url.endsWith('.ts') ? 'src/index.ts' : 'dist/index.js';

/** The origin of each loaded plug-in, by name. */
const loaded = new Map<string, string>();

/**
 * Loads the plug-ins that AGENTS names: folders (`examples/bank`, `/srv/loans`) and packages (`@acme/loans`), separated by commas; an empty
 * value and `none` load nothing. Adds their codes and sentences to the catalogs. Idempotent. Throws STARTUP_REFUSED with the remedy.
 */
export async function loadPlugins(agents: string): Promise<readonly Plugin[]> {
  const names = [...new Set(agents.split(',').map((name) => name.trim()))].filter(
    (name) => !['', 'none'].includes(name),
  );
  const plugins: Plugin[] = [];
  for (const name of names) plugins.push(await loadPlugin(name));
  return plugins;
}

/** The tables of each plug-in that has tables, for the migration. */
export function listTables(plugins: readonly Plugin[]): readonly PluginTables[] {
  return plugins.flatMap(({ name, migrations, tables = {}, rows = {} }) =>
    migrations ? [{ name, folder: fileURLToPath(migrations), tables, rows }] : [],
  );
}

export function listPluginPolicyFolders(plugins: readonly Plugin[]): readonly string[] {
  return plugins.flatMap(({ policies }) => (policies ? [fileURLToPath(policies)] : []));
}

async function loadPlugin(name: string): Promise<Plugin> {
  const entry = findEntry(name);
  const module: unknown = await import(entry).catch((cause: unknown) =>
    refuse(name, `it cannot be loaded: ${cause instanceof Error ? cause.message : String(cause)}.`, cause),
  );
  const plugin = (module as { default?: Plugin }).default; // the next lines check it
  if (typeof plugin !== 'object' || typeof plugin.worker !== 'function')
    refuse(name, `${entry} has to export definePlugin({…}) as default.`);
  if (!/^(?=.{2,30}$)[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(plugin.name))
    refuse(name, `its name '${plugin.name}' takes 2 to 30 small letters, digits and single hyphens.`);
  const other = loaded.get(plugin.name);
  if (other === entry) return plugin;
  if (other !== undefined) refuse(name, `${other} is named ${plugin.name} as well. Give one of them another name.`);
  register(name, plugin);
  loaded.set(plugin.name, entry);
  return plugin;
}

function findEntry(name: string): string {
  const isPackage = name.startsWith('@') || !name.includes('/');
  if (isPackage) return name;
  const folder = resolve(CHECKOUT, name);
  if (!existsSync(folder)) refuse(name, `there is no folder ${folder}. Correct AGENTS.`);
  const entry = join(folder, ENTRY);
  if (!existsSync(entry)) refuse(name, `it has no ${ENTRY}. Build it: npx tsc -b ${folder}`);
  return pathToFileURL(entry).href;
}

/** Adds codes and sentences to the catalogs, unless one of them is already there. */
function register(name: string, { errors = {}, ownErrorFields = [], languages }: Plugin): void {
  const code = Object.keys(errors).find((one) => Object.hasOwn(ERRORS, one));
  if (code !== undefined) refuse(name, `its code ${code} is in use already. Give it another name.`);
  if (languages && !existsSync(languages)) refuse(name, `there is no folder ${fileURLToPath(languages)}.`);
  const files = languages ? listEnglish(languages) : [];
  const file = files.find((one) => listCatalogFiles().includes(one));
  if (file !== undefined) refuse(name, `there are sentences in a file ${file} already. Give its file another name.`);
  addErrors(errors, ownErrorFields);
  if (languages) addSentences(languages);
}

/** The files of English sentences. In other languages, `errors.json` and `reasons.json` translate the sentences of code and policies. */
function listEnglish(languages: URL): readonly string[] {
  const folder = new URL('en/', languages);
  return existsSync(folder) ? readdirSync(folder) : [];
}

function refuse(name: string, problem: string, cause?: unknown): never {
  throw new AppError('STARTUP_REFUSED', { reason: `AGENTS names ${name}, and ${problem}` }, cause);
}
