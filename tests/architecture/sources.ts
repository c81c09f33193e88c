import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { parseSync } from 'oxc-parser';

/** One import or re-export. `target` is a path in this repository, `package` the name of an outside package. */
export interface ImportEdge {
  readonly line: number;
  readonly specifier: string;
  readonly target: string | null;
  readonly package: string | null;
  readonly typeOnly: boolean;
}

export interface SourceFile {
  /** From the root of the repository, with forward slashes. */
  readonly path: string;
  readonly text: string;
  readonly lines: number;
  readonly imports: readonly ImportEdge[];
  /** True when the file declares nothing of its own and only passes on what others export. */
  readonly onlyReexports: boolean;
}

const CODE = /\.(tsx?|mjs|js)$/;
const SKIPPED = new Set(['node_modules', 'dist', 'coverage', '.git', '.signalbox']);

/** Where the sources of each workspace package are, by the name it is imported under. */
const WORKSPACES: Readonly<Record<string, string>> = {
  messages: 'shared/messages/src',
  analysis: 'shared/analysis/src',
  contracts: 'shared/contracts/src',
  safety: 'shared/safety/src',
  platform: 'shared/platform/src',
  store: 'shared/store/src',
  governance: 'shared/governance/src',
  plugins: 'shared/plugins/src',
  planner: 'shared/planner/src',
  models: 'shared/models/src',
  gateway: 'services/gateway/src',
  worker: 'services/worker/src',
  jobs: 'services/jobs/src',
  proxy: 'services/proxy/src',
  cli: 'services/cli/src',
  'example-bank': 'examples/bank/src',
  local: 'infra/local/src',
  'page-kit': 'infra/page-kit/src',
  'telegram-simulator': 'infra/telegram-simulator/src',
  'forge-simulator': 'infra/forge-simulator/src',
  'whatsapp-simulator': 'infra/whatsapp-simulator/src',
};

/** All files below a folder, from the root of the repository; what was built or installed is left out. */
export function listFiles(root: string, folder = ''): readonly string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = posix.join(folder, entry.name);
    if (entry.isDirectory()) return SKIPPED.has(entry.name) ? [] : listFiles(root, path);
    return [path];
  });
}

/** Parses every source file of the product and of its tests. */
export function readSources(root: string): readonly SourceFile[] {
  return ['shared', 'services', 'examples', 'infra', 'tests']
    .flatMap((folder) => listFiles(root, folder))
    .filter((path) => CODE.test(path))
    .map((path) => parseSource(path, readFileSync(join(root, path), 'utf8')));
}

/** Parses one source file. Throws when it is not valid. */
export function parseSource(path: string, text: string): SourceFile {
  const { module, program, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`);
  const found = [
    ...module.staticImports.map((statement) => ({
      ...statement.moduleRequest,
      typeOnly: isTypeStatement(text, statement.start) || allTypes(statement.entries),
    })),
    ...module.staticExports.flatMap(({ entries }) =>
      entries.flatMap((entry) => (entry.moduleRequest ? [{ ...entry.moduleRequest, typeOnly: entry.isType }] : [])),
    ),
    ...module.dynamicImports.flatMap(({ moduleRequest: { start, end } }) => {
      const literal = /^['"](.*)['"]$/.exec(text.slice(start, end))?.[1];
      return literal === undefined ? [] : [{ value: literal, start, end, typeOnly: false }];
    }),
  ];
  const imports = found.map(({ value, start, typeOnly }) => {
    const line = text.slice(0, start).split('\n').length;
    return { line, specifier: value, typeOnly, ...resolveSpecifier(path, value) };
  });
  const passesOn = program.body.some(({ type }) => type.startsWith('Export'));
  const onlyReexports =
    passesOn &&
    program.body.every((node) => {
      if (node.type === 'ImportDeclaration' || node.type === 'ExportAllDeclaration') return true;
      return node.type === 'ExportNamedDeclaration' && node.declaration === null;
    });
  return { path, text, lines: text.trimEnd().split('\n').length, imports, onlyReexports };
}

function isTypeStatement(text: string, start: number): boolean {
  return /^import\s+type\b/.test(text.slice(start, start + 20));
}

function allTypes(entries: readonly { readonly isType: boolean }[]): boolean {
  return entries.length > 0 && entries.every((entry) => entry.isType);
}

function resolveSpecifier(from: string, specifier: string): Pick<ImportEdge, 'target' | 'package'> {
  if (specifier.startsWith('.')) return { target: posix.join(posix.dirname(from), specifier), package: null };
  const [, workspace, rest] = /^@signalbox\/([^/]+)\/(.+)$/.exec(specifier) ?? [];
  const sources = workspace === undefined ? undefined : WORKSPACES[workspace];
  const ending = workspace === 'page-kit' ? 'tsx' : 'ts'; // all of it is for pages
  if (sources !== undefined) return { target: `${sources}/${rest}.${ending}`, package: null };
  if (specifier.startsWith('node:')) return { target: null, package: null };
  return { target: null, package: specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/') };
}
