import { posix } from 'node:path';
import { Visitor, parseSync } from 'oxc-parser';
import { matchesAny } from './globs.ts';
import type { SourceFile } from './sources.ts';

const LONGEST_SOURCE = 400;
const LONGEST_TEST = 500;

/** Words that name no thing: whoever needs one has two things in one file. */
const EMPTY_WORDS = /(^|-)(utils?|helpers?|managers?|misc|common)(-|$)/;
/** These say something as a part of a name (`service-log`), and nothing alone. */
const EMPTY_NAMES = new Set(['types', 'service', 'base', 'lib', 'constants']);

/** Where the environment may be read: it is the only way in for configuration. */
const ENVIRONMENT_READERS = [
  '**/config.ts',
  'infra/local/bootstrap.mjs', // runs before anything is installed, so it cannot import a config.ts
  'infra/gate/gate.mjs', // runs alone in the pipelines of others
  'infra/demo/releases/**', // somebody's project, as far as the product is concerned
  'tests/fixtures/driver-app/**', // as well
  'tests/fixtures/hostile-release/**', // and this one
];

/** Files that are longer than a reader's patience. */
export function findLongFiles(files: readonly Pick<SourceFile, 'path' | 'lines'>[]): readonly string[] {
  return files.flatMap(({ path, lines }) => {
    const limit = path.startsWith('tests/') || path.includes('.test.') ? LONGEST_TEST : LONGEST_SOURCE;
    return lines > limit ? [`${path}: ${lines} lines, at most ${limit} are allowed; split it`] : [];
  });
}

/** Files whose name is no kebab-case noun, or no name at all. */
export function findBadNames(paths: readonly string[]): readonly string[] {
  return paths.flatMap((path) => {
    const [stem = '', ...endings] = posix.basename(path).split('.');
    if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(stem) || endings.length > 2)
      return [`${path}: file names are kebab-case, such as thread-list.ts or thread-list.test.ts`];
    if (EMPTY_NAMES.has(stem) || EMPTY_WORDS.test(stem))
      return [`${path}: '${stem}' names no thing; say what is in it`];
    return [];
  });
}

/** Files that only pass on what others export. Import from where a thing is made. */
export function findBarrels(files: readonly SourceFile[]): readonly string[] {
  return files.filter((file) => file.onlyReexports).map(({ path }) => `${path}: is a barrel file; import the source`);
}

/** Reads of the environment outside of configuration files. */
export function findEnvironmentReads(files: readonly SourceFile[]): readonly string[] {
  return files.flatMap(({ path, text }) => {
    if (matchesAny(ENVIRONMENT_READERS, path) || !text.includes('process')) return [];
    const starts: number[] = [];
    new Visitor({
      MemberExpression({ object, property, start }) {
        const isEnv = property.type === 'Identifier' ? property.name === 'env' : isText(property, 'env');
        if (object.type === 'Identifier' && object.name === 'process' && isEnv) starts.push(start);
      },
      VariableDeclarator({ id, init, start }) {
        if (id.type === 'ObjectPattern' && init?.type === 'Identifier' && init.name === 'process') starts.push(start);
      },
      ImportSpecifier({ imported, start }) {
        if (imported.type === 'Identifier' && imported.name === 'env' && /from 'node:process'/.test(text))
          starts.push(start);
      },
    }).visit(parseSync(path, text).program);
    return starts.map((start) => `${path}:${lineOf(text, start)}: only a config.ts may read process.env`);
  });
}

function isText(node: { readonly type: string; readonly value?: unknown }, text: string): boolean {
  return node.type === 'Literal' && node.value === text;
}

function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}
