import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { createEngine, type ExplainingEngine } from './engine.ts';
import { isExampleFile, runExamples } from './examples.ts';
import { PolicySetError, type PolicyFile } from './problems.ts';
import { readRulesInSteps, type Rule } from './rules.ts';

/** The files of a policy set and the SHA-256 of their names and contents. */
export interface PolicyFiles {
  readonly files: readonly PolicyFile[];
  readonly version: string;
}

/** A policy set whose examples all pass. */
export interface PolicySet {
  /** The source files, recorded so that decisions can be replayed. */
  readonly files: readonly PolicyFile[];
  readonly engine: ExplainingEngine;
  readonly rules: readonly Rule[];
}

/** Reads the schema, policies and examples of a folder; other subfolders are ignored. */
export function readPolicyFolder(folder: string): Promise<PolicyFiles> {
  return readPolicyFolders([folder]);
}

/** Reads several folders as one set: the product's folder and those of plug-ins. Throws when two folders have a file of one name. */
export async function readPolicyFolders(folders: readonly string[]): Promise<PolicyFiles> {
  const parts = await listFiles(folders);
  const twin = parts.find(({ name }, place) => parts[place - 1]?.name === name);
  if (twin) throw new Error(`${twin.path} has the name of another policy file: give it another name`);
  const files = await Promise.all(parts.map(async ({ name, path }) => ({ name, text: await readFile(path, 'utf8') })));
  return { files, version: hashFiles(files) };
}

/** File systems may give two changes within this time the same change time. */
const STAMP_MS = 2_000;

/**
 * Computes a stamp that changes whenever a file of the set is changed, replaced or relinked, without reading the files: it uses the
 * change time, which programs cannot set. Null when a change is too recent for a unique stamp.
 */
export async function computePolicyStamp(folders: readonly string[]): Promise<string | null> {
  const parts = await listFiles(folders);
  // The stats are synchronous, because asynchronous stats would take an idle service ten times as long.
  const stats = parts.map(({ path }) => statSync(path, { bigint: true }));
  if (stats.some(({ ctimeMs }) => Number(ctimeMs) > Date.now() - STAMP_MS)) return null;
  return stats.map(({ ino, size, ctimeNs }, at) => `${parts[at]?.path} ${ino} ${size} ${ctimeNs}`).join('\n');
}

/** Lists the files of a set, sorted by name because the version is a hash of their order. */
async function listFiles(folders: readonly string[]) {
  const parts = await Promise.all(
    folders.map(async (folder) => {
      const names = [...(await readdir(folder)), ...(await listExamples(folder))].filter(isPolicyFile);
      return names.map((name) => ({ name, path: join(folder, name) }));
    }),
  );
  return parts.flat().toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

/**
 * Loaded sets by version, the newest last: services in one process, and replays, load the same sets repeatedly. A set depends on its
 * files alone, so it never becomes stale.
 */
const LOADED = new Map<string, Promise<PolicySet>>();
const MAX_LOADED = 8;

/**
 * Loads a set and runs its examples, which takes seconds on a busy machine, so it yields between steps: services hold leases and answer
 * probes meanwhile. Cached by files and version. Throws PolicySetError with all problems, RangeError for an unknown time zone.
 */
export function loadPolicySet(from: PolicyFiles, timeZone: string): Promise<PolicySet> {
  const name = JSON.stringify([hashFiles(from.files), from.version, timeZone]);
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
  // Examples must not depend on the installation's time zone.
  const problems = await runExamples(createEngine(set, version, 'UTC'), set.rules, files);
  if (problems.length > 0) throw new PolicySetError(problems);
  return { files, engine: createEngine(set, version, timeZone), rules: [...set.rules.values()] };
}

/** Loads a stored policy set, whose version is computed from its files. Throws like `loadPolicySet`. */
export function loadStoredPolicySet(files: readonly PolicyFile[], timeZone: string): Promise<PolicySet> {
  return loadPolicySet({ files, version: hashFiles(files) }, timeZone);
}

async function listExamples(folder: string): Promise<readonly string[]> {
  const names = await readdir(join(folder, 'examples')).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []; // the folder is missing; the later check for examples gives a better message
    throw error;
  });
  return names.map((name) => `examples/${name}`);
}

function isPolicyFile(name: string): boolean {
  return name === 'schema.cedarschema' || name.endsWith('.cedar') || isExampleFile(name);
}

/** Names and lengths are hashed as well, so that different sets never have the same bytes. */
function hashFiles(files: readonly PolicyFile[]): string {
  const hash = createHash('sha256');
  for (const { name, text } of files) hash.update(`${name}\n${Buffer.byteLength(text)}\n`).update(text);
  return hash.digest('hex');
}
