import { joinPatterns } from './any-of.ts';

/** Folder and file names by which one kind of files is recognized. */
interface Kind {
  readonly folder: RegExp;
  readonly file: RegExp;
}

const NEVER = /(?!)/;

const TEST: Kind = {
  folder: joinPatterns(
    /^(?:t|tests?|__tests__|__mocks__|specs?|e2e|testing|test-?data|fixtures?|__fixtures__|mocks?|cypress)$/,
    /^(?:playwright|unittests?|test-?(?:utils?|support|kit)|[\w-]*testing-support)$/,
    /^(?:[\w.-]+(?:[._-][Tt]ests?|[a-z\d]Tests?|Fixtures))$/,
    /^(?:(?:android|common|jvm|js|native|integration|unit)Test)$/,
  ),
  file: joinPatterns(
    /^(?:(?:[\w-]*[._-])?tests?[._-].*|test-?utils?\.\w+|conftest\.py)$/s,
    /[._-](?:tests?|specs?|e2e|fixture|mock|stories)\.\w+(?:\.\w+)?$/,
    /[a-z\d](?:Tests?|TestCase|Spec|IT)\.(?:java|kt|cs|php|swift|scala|groovy|cpp|cc|h)$/,
  ),
};

/** Folders that package managers fill. */
const INSTALLED = joinPatterns(
  /^(?:node_modules|bower_components|jspm_packages|vendor|vendored|third[_-]?party|3rd[_-]?party)$/i,
  /^(?:Pods|Carthage|Godeps|site-packages|\.venv|venv|virtualenv|\.yarn)$/i,
  /^(?:[\w.-]*\.(?:docset|framework|xcframework))$/i,
);
/** Folders that may hold code of one's own as well. */
const COPIED = joinPatterns(/^(?:vendors|externals?|extern|deps)$/i, /^[\w.-]+-\d+\.\d+(?:\.\d+)?$/);
const LIBRARY = joinPatterns(
  /^(?:jquery|bootstrap|lodash|underscore|angular|modernizr|respond|html5shiv|typeahead|d3|three|codemirror)\b/i,
  /^(?:mermaid|moment|handlebars|leaflet|select2|knockout|dropzone|tinymce|ckeditor)\b/i,
);
/** A published library names its version in its file name, or in the comment at its top. */
const VERSION_IN_NAME = /[.-]v?\d{1,4}(?:\.\d{1,4}){0,3}(?:\.(?:min|slim|pack|bundle))*\.(?:js|css)$/i;
/** Length of a file that nobody writes under the name of a library; the smallest of them has a third of it. */
const LIBRARY_LENGTH = 60_000;
const BANNER =
  /^\s{0,20}(?:\/\*|\/\/)(?=[^]{0,800}?\bv?\d{1,4}\.\d{1,4}\.\d)(?=[^]{0,800}?(?:licen[sc]e|copyright|\(c\)))/i;

const GENERATED: Kind = {
  folder: /^(?:dist|generated|__generated__|\.next|\.nuxt|\.output|coverage|__pycache__|\.gradle|__snapshots__)$/,
  file: joinPatterns(
    /(?:\.min\.(?:js|css|mjs)|\.bundle\.js|[._-]generated\.\w+|\.g\.(?:cs|dart)|\.designer\.cs)$/i,
    /(?:\.pb\.(?:go|cc|h)|_pb2(?:_grpc)?\.pyi?|_pb\.(?:js|ts|d\.ts)|\.snap|\.map|-lock\.json|\.lock)$/i,
    /(?:\.lockb|-lock\.yaml)$|^(?:zz_generated.*\.go|go\.sum|npm-shrinkwrap\.json|packages\.lock\.json)$/i,
  ),
};

const EXAMPLE: Kind = {
  folder: /^(?:examples?|samples?|demos?|tutorials?|playgrounds?|boilerplates?|snippets?|cookbook|benchmarks?|bench)$/i,
  file: NEVER,
};

const DOCUMENTATION: Kind = {
  folder: /^(?:docs?|documentation|manual|website)$/i,
  file: /\.(?:md|mdx|markdown|rst|adoc|asciidoc|txt|rdoc|pod|textile|org)$|^(?:readme|changelog|changes|history|licen[sc]e|copying|notice|authors|contributing|security)(?:-[\w-]+)?$/i,
};

/** Phrases near the top of a generated file, such as those that Go and .NET tools write. */
const GENERATED_MARK = joinPatterns(
  /@generated\b|<auto-?generated|\bauto-?generated\b|code generated .{0,80}do not edit/im,
  /do not (?:edit|modify)\b.{0,80}generated/im,
  // Helper functions that the TypeScript compiler emits.
  /^var __\w{1,40} = \(this && this\.__/m,
  /^\W{0,6}(?:this (?:file|code) (?:is|was|has been) )?(?:automatically )?generated (?:by|from|with|using)\b/im,
);
const HEAD_LENGTH = 1_000;
/** Average line length above which a file is minified. */
const MINIFIED_LINE_LENGTH = 400;

export function isTest(path: string): boolean {
  return isOf(TEST, path);
}

/** True for third-party files, judged by their path and, if given, their text. Findings in them belong to another repository. */
export function isVendored(path: string, text = ''): boolean {
  return findVendoredFolder(path) !== null || isLibrary(path, text);
}

/** Returns the vendored folder of a path, with a slash at its end; null when it is in none. */
export function findVendoredFolder(path: string): string | null {
  const parts = path.split('/').slice(0, -1);
  const at = parts.findIndex((part) => INSTALLED.test(part) || COPIED.test(part));
  return at < 0 ? null : `${parts.slice(0, at + 1).join('/')}/`;
}

/** True inside of a folder that a package manager fills. */
export function isInstalled(path: string): boolean {
  return path
    .split('/')
    .slice(0, -1)
    .some((part) => INSTALLED.test(part));
}

/** True for a copy of a well-known library; a file of one's own may have the same name. */
function isLibrary(path: string, text: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (!LIBRARY.test(name) || !/\.(?:js|css)$/i.test(name)) return false;
  return VERSION_IN_NAME.test(name) || BANNER.test(text.slice(0, HEAD_LENGTH)) || text.length > LIBRARY_LENGTH;
}

/** True for a generated file, judged by its path and, if given, its text. */
export function isGenerated(path: string, text = ''): boolean {
  return isOf(GENERATED, path) || GENERATED_MARK.test(text.slice(0, HEAD_LENGTH)) || isMinified(path, text);
}

/** True for an example. Below a source folder the name `examples` means product code, such as a Java package. */
export function isExample(path: string): boolean {
  const source = /(?:^|\/)(?:src|lib|app|main)\//.exec(path);
  return isOf(EXAMPLE, source ? path.slice(0, source.index + 1) : path);
}

export function isDocumentation(path: string): boolean {
  return isOf(DOCUMENTATION, path);
}

/** True for hand-written product code, judged by the path. */
export function isProductCode(path: string): boolean {
  return ![isTest, isVendored, isGenerated, isExample, isDocumentation].some((is) => is(path));
}

function isOf({ folder, file }: Kind, path: string): boolean {
  const parts = path.split('/');
  const name = parts.pop() ?? '';
  return file.test(name) || parts.some((part) => folder.test(part));
}

/** True for a script or style sheet whose lines are too long to be written by hand. */
export function isMinified(path: string, text: string): boolean {
  if (text.length < 2_000 || !/\.(?:js|mjs|cjs|css)$/.test(path)) return false;
  let lines = 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines += 1;
  return text.length / lines > MINIFIED_LINE_LENGTH;
}
