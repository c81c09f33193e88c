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

const VENDORED: Kind = {
  folder: joinPatterns(
    /^(?:node_modules|bower_components|jspm_packages|vendor|vendors|vendored|third[_-]?party|3rd[_-]?party)$/i,
    /^(?:externals?|extern|deps|Pods|Carthage|Godeps|site-packages|\.venv|venv|virtualenv|\.yarn)$/i,
    /^(?:[\w.-]*\.(?:docset|framework|xcframework)|[\w.-]+-\d+\.\d+(?:\.\d+)?)$/i,
  ),
  file: joinPatterns(
    /^(?:jquery|bootstrap|lodash|underscore|angular|modernizr|respond|html5shiv)[.\d\w-]*\.(?:js|css)$/i,
    /^(?:typeahead|d3|three|codemirror|mermaid|moment|handlebars|leaflet|select2)[.\d\w-]*\.(?:js|css)$/i,
    /^(?:knockout|dropzone|tinymce|ckeditor)[.\d\w-]*\.(?:js|css)$/i,
  ),
};

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

/** True for third-party files; findings in them belong to another repository. */
export function isVendored(path: string): boolean {
  return isOf(VENDORED, path);
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
