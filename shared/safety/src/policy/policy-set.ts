import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { createEngine, type JudgingEngine } from './engine.ts';
import { isExampleFile, runExamples } from './examples.ts';
import { PolicySetError, type PolicyFile } from './problems.ts';
import { readRulesInSteps, type Rule } from './rules.ts';

/** The files of a policy set, by name, and the SHA-256 over their names and bytes. */
export interface PolicyFiles {
  readonly files: readonly PolicyFile[];
  readonly version: string;
}

/** A set whose examples all hold. */
export interface PolicySet {
  /** What it was loaded from, to be recorded: the same files decide the same again. */
  readonly files: readonly PolicyFile[];
  readonly engine: JudgingEngine;
  readonly rules: readonly Rule[];
}

/** Reads the schema, the policies and the examples of a folder; folders in it other than examples/ are not part of the set. */
export function readPolicyFolder(folder: string): Promise<PolicyFiles> {
  return readPolicyFolders([folder]);
}

/** The same of several folders as one set: that of the product and those of plug-ins. Throws when two have a file of one name. */
export async function readPolicyFolders(folders: readonly string[]): Promise<PolicyFiles> {
  const parts = await listParts(folders);
  const twin = parts.find(({ name }, place) => parts[place - 1]?.name === name);
  if (twin) throw new Error(`${twin.path} has the name of another policy file: give it another name`);
  const files = await Promise.all(parts.map(async ({ name, path }) => ({ name, text: await readFile(path, 'utf8') })));
  return { files, version: versionOf(files) };
}

/** A file system may give two changes within this time the same stamp. */
const STAMP_MS = 2_000;

/**
 * What differs whenever a file of the set was changed, replaced or linked elsewhere, without a look into it: a program can set the time of
 * a change, and not the time at which it was recorded. Null while a change is so young that the next may have the same stamp.
 */
export async function stampPolicyFolders(folders: readonly string[]): Promise<string | null> {
  const parts = await listParts(folders);
  // At once: each file by a thread of its own takes an idle service ten times as long.
  const stats = parts.map(({ path }) => statSync(path, { bigint: true }));
  if (stats.some(({ ctimeMs }) => Number(ctimeMs) > Date.now() - STAMP_MS)) return null;
  return stats.map(({ ino, size, ctimeNs }, at) => `${parts[at]?.path} ${ino} ${size} ${ctimeNs}`).join('\n');
}

/** The files of a set in the order of their names, by which its version is told. */
async function listParts(
  folders: readonly string[],
): Promise<readonly { readonly name: string; readonly path: string }[]> {
  const parts = await Promise.all(
    folders.map(async (folder) => {
      const names = [...(await readdir(folder)), ...(await listExamples(folder))].filter(isPart);
      return names.map((name) => ({ name, path: join(folder, name) }));
    }),
  );
  return parts.flat().toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

/**
 * What this process has loaded, the newest last: services that share a process, as in tests, and replays ask for the same sets again
 * and again. A set is the same whenever its files are, so nothing can go stale.
 */
const LOADED = new Map<string, Promise<PolicySet>>();
const MAX_LOADED = 8;

/**
 * Loads a set and runs its examples; the same files under the same version are loaded once. That takes seconds of a busy machine, so it
 * pauses between its steps: services load sets while they hold leases and answer probes. Throws PolicySetError with every problem,
 * RangeError for a time zone that there is not.
 */
export function loadPolicySet(from: PolicyFiles, timeZone: string): Promise<PolicySet> {
  const name = JSON.stringify([versionOf(from.files), from.version, timeZone]);
  const set = LOADED.get(name) ?? load(from, timeZone);
  LOADED.delete(name);
  LOADED.set(name, set);
  for (const oldest of [...LOADED.keys()].slice(0, -MAX_LOADED)) LOADED.delete(oldest);
  set.catch(() => LOADED.delete(name));
  return set;
}

async function load({ files, version }: PolicyFiles, timeZone: string): Promise<PolicySet> {
  const steps = readRulesInSteps(files, version);
  let step = steps.next();
  for (; !step.done; step = steps.next()) await setImmediate();
  const set = step.value;
  // Examples hold wherever the set is used, so they tell the time in UTC.
  const problems = await runExamples(createEngine(set, version, 'UTC'), set.rules, files);
  if (problems.length > 0) throw new PolicySetError(problems);
  return { files, engine: createEngine(set, version, timeZone), rules: [...set.rules.values()] };
}

/** Loads a set that was kept, under the version that its files have now. Throws as `loadPolicySet` does. */
export function loadStoredPolicySet(files: readonly PolicyFile[], timeZone: string): Promise<PolicySet> {
  return loadPolicySet({ files, version: versionOf(files) }, timeZone);
}

async function listExamples(folder: string): Promise<readonly string[]> {
  const names = await readdir(join(folder, 'examples')).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []; // a set without examples is refused with a better sentence than this
    throw error;
  });
  return names.map((name) => `examples/${name}`);
}

function isPart(name: string): boolean {
  return name === 'schema.cedarschema' || name.endsWith('.cedar') || isExampleFile(name);
}

/** Names and lengths are hashed, too, so that no two sets of files have the same bytes in a row. */
function versionOf(files: readonly PolicyFile[]): string {
  const hash = createHash('sha256');
  for (const { name, text } of files) hash.update(`${name}\n${Buffer.byteLength(text)}\n`).update(text);
  return hash.digest('hex');
}
