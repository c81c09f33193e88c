import type { Analyzer, JsonValue, FileFacts, RepositoryReader } from '../../../analyzer.ts';
import { isGenerated, isVendored } from '../../kinds-of-files.ts';
import type { Ecosystem } from '../../../advisory-source.ts';
import type { PackageManager } from '../packages/package.ts';
import { LOCK_FILES, getFileName, isLockFile, isPackageFile, readPackages } from '../packages/read-packages.ts';
import { isShipped } from '../project.ts';
import { detectLanguage } from './languages.ts';
import { TOOL_FILES, findTools } from './known-tools.ts';

type StackFacts = {
  readonly ecosystem: Ecosystem;
  readonly manager: PackageManager;
  readonly name: string | null;
  readonly members: readonly string[];
  readonly tools: readonly (readonly [kind: string, tool: string])[];
};

/** Lists the languages, frameworks and tools of a repository for reports. This analyzer has no rules. */
export const STACK_ANALYZER: Analyzer<StackFacts> = {
  name: 'stack',
  version: 1,
  reach: 'commit',
  wants: ({ path }) => isPackageFile(path) && isShipped(path) && !isLockFile(path),
  inspect: async (path, text) => {
    const facts = await readPackages(path, text);
    if (facts?.role !== 'manifest') return null;
    const { ecosystem, manager, name, members, wanted } = facts;
    return { ecosystem, manager, name, members, tools: wanted.flatMap((one) => findTools(ecosystem, one.name)) };
  },
  conclude: (noted, view) => ({
    found: [],
    summary: { languages: listLanguages(view), ...listTools(noted, view), ...listPackages(noted, view) },
  }),
};

const LANGUAGES_LISTED = 15;
const LISTED = 30;

/** Sums the sizes in bytes of the repository's own code, by language. */
function listLanguages({ files }: RepositoryReader): readonly JsonValue[] {
  const bytes = new Map<string, { bytes: number; files: number }>();
  for (const { path, sizeBytes } of files) {
    const language = isVendored(path) || isGenerated(path) ? null : detectLanguage(path);
    if (language === null) continue;
    const sum = bytes.get(language) ?? { bytes: 0, files: 0 };
    bytes.set(language, { bytes: sum.bytes + sizeBytes, files: sum.files + 1 });
  }
  const all = [...bytes.values()].reduce((sum, one) => sum + one.bytes, 0);
  return [...bytes]
    .sort(([a, one], [b, other]) => other.bytes - one.bytes || (a < b ? -1 : 1))
    .slice(0, LANGUAGES_LISTED)
    .map(([name, one]) => ({ name, ...one, percent: all === 0 ? 0 : Math.round((one.bytes / all) * 1_000) / 10 }));
}

/** Detects tools by file path. An entry point is listed by its path. */
function findToolsByPath(path: string): readonly (readonly [kind: string, name: string])[] {
  return Object.entries(TOOL_FILES).flatMap(([kind, tools]) =>
    Object.entries(tools).flatMap(([tool, form]) =>
      form.test(path) ? [[kind, kind === 'entryPoints' ? path.slice(0, 200) : tool] as const] : [],
    ),
  );
}

/** Lists frameworks, tools, databases and entry points by kind, sorted by name. */
function listTools(
  noted: readonly FileFacts<StackFacts>[],
  { files }: RepositoryReader,
): { readonly [kind: string]: JsonValue } {
  const kinds = new Map<string, Set<string>>();
  const add = (kind: string, name: string): unknown => kinds.set(kind, (kinds.get(kind) ?? new Set()).add(name));
  for (const { facts } of noted) for (const [kind, tool] of facts.tools) add(kind, tool);
  for (const { path } of files)
    if (!isVendored(path) && isShipped(path)) for (const [kind, name] of findToolsByPath(path)) add(kind, name);
  return Object.fromEntries([...kinds].map(([kind, names]) => [kind, [...names].sort().slice(0, LISTED)]));
}

function listPackages(
  noted: readonly FileFacts<StackFacts>[],
  { files }: RepositoryReader,
): { readonly [name: string]: JsonValue } {
  const locks = files
    .filter(({ path }) => isLockFile(path) && isShipped(path) && !isVendored(path))
    .map(({ path }) => LOCK_FILES[getFileName(path)]?.manager ?? '');
  const workspaces = noted.filter(({ facts }) => facts.members.length > 0);
  return {
    packageManagers: [...new Set(locks)].sort(),
    ecosystems: [...new Set(noted.map(({ facts }) => facts.ecosystem))].sort(),
    manifests: noted.length,
    workspaces: workspaces
      .slice(0, LISTED)
      .map(({ path, facts }) => ({ path, members: facts.members.slice(0, LISTED) })),
  };
}
