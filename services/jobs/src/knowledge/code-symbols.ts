import { findLanguage, type Language } from '@signalbox/analysis/analyzers/quality/source/languages';
import { measureFunctions } from '@signalbox/analysis/analyzers/quality/source/measure';
import { readSource } from '@signalbox/analysis/analyzers/quality/source/read-source';

/** A name that a text defines, with its line, from 1. */
export interface CodeSymbol {
  readonly name: string;
  readonly kind: 'function' | 'type' | 'value';
  readonly line: number;
}

const MAX_SYMBOLS = 2_000;
const NAME = /^[\p{L}_$][\p{L}\p{N}_$]{1,79}$/u;
const MODIFIERS =
  'export|default|declare|abstract|public|private|protected|internal|static|final|sealed|open|data|partial|pub|unsafe|inline|fileprivate|case';
const TYPE = new RegExp(
  String.raw`^[ \t]{0,40}(?:(?:${MODIFIERS})(?:\([\w:]{1,40}\))?[ \t]{1,8}){0,5}(?:class|interface|enum|struct|trait|record|namespace|module|protocol|type|object|union|mod|message|service)[ \t]{1,8}([\p{L}_$][\p{L}\p{N}_$]{1,79})`,
  'u',
);
/** Values of the outermost level only, because a local variable is not what people look for. */
const VALUE =
  /^(?:export[ \t]{1,8})?(?:pub[ \t]{1,8})?(?:const|let|var|static|val|final)[ \t]{1,8}(?:mut[ \t]{1,8})?([\p{L}_$][\p{L}\p{N}_$]{1,79})/u;
const CONSTANT = /^([A-Z][A-Z0-9_]{2,79})[ \t]{0,8}(?::[^=]{1,80})?=/;
const EXPORTED = /^(?:module\.)?exports\.([\w$]{2,80})[ \t]{0,8}=/;
const DEFINED = /^#[ \t]{0,8}define[ \t]{1,8}(\w{2,80})/;
const OF_SQL = new RegExp(
  [
    String.raw`^[ \t]{0,8}create[ \t]{1,8}(?:or[ \t]{1,8}replace[ \t]{1,8})?(?:unique[ \t]{1,8})?`,
    String.raw`(table|view|index|trigger|type|policy|function|procedure)[ \t]{1,8}`,
    String.raw`(?:if[ \t]{1,8}not[ \t]{1,8}exists[ \t]{1,8})?(?:\w{1,60}\.)?(\w{2,80})`,
  ].join(''),
  'i',
);
const OF_SHELL = /^(?:function[ \t]{1,8})?([\w-]{2,80})[ \t]{0,8}\(\)[ \t]{0,8}\{?/;

/**
 * Finds functions, methods, types and other names that a text defines, in source order. Reads fourteen languages with the analyzers' own
 * reader, and SQL and shell by patterns; no parser, so unusual code may hide a name. Linear time.
 */
export function findSymbols(path: string, text: string): readonly CodeSymbol[] {
  const language = findLanguage(path);
  const found = language ? findInSource(text, language) : findByLine(text, path);
  const seen = new Set<string>();
  return found
    .filter(({ name, line }) => NAME.test(name) && !seen.has(`${line} ${name}`) && seen.add(`${line} ${name}`))
    .toSorted((one, other) => one.line - other.line)
    .slice(0, MAX_SYMBOLS);
}

function findInSource(text: string, language: Language): readonly CodeSymbol[] {
  const source = readSource(text, language);
  const found: CodeSymbol[] = measureFunctions(source, language).map(({ name, line }) => ({
    name,
    kind: 'function',
    line,
  }));
  for (const [index, line] of source.code.split('\n').entries()) {
    const type = TYPE.exec(line)?.[1];
    const value = (VALUE.exec(line) ?? CONSTANT.exec(line) ?? EXPORTED.exec(line) ?? DEFINED.exec(line))?.[1];
    if (type !== undefined) found.push({ name: type, kind: 'type', line: index + 1 });
    else if (value !== undefined && !found.some((one) => one.line === index + 1 && one.name === value))
      found.push({ name: value, kind: 'value', line: index + 1 });
  }
  return found;
}

function findByLine(text: string, path: string): readonly CodeSymbol[] {
  const isSql = path.endsWith('.sql');
  if (!isSql && !/\.(?:sh|bash|zsh)$/.test(path)) return [];
  return text.split('\n').flatMap((line, index): CodeSymbol[] => {
    const of = (name: string, kind: CodeSymbol['kind']): CodeSymbol[] => [{ name, kind, line: index + 1 }];
    const [, what = '', name] = isSql ? (OF_SQL.exec(line) ?? []) : [];
    if (name !== undefined) return of(name, /function|procedure/i.test(what) ? 'function' : 'type');
    const shell = isSql ? undefined : OF_SHELL.exec(line)?.[1];
    return shell === undefined ? [] : of(shell, 'function');
  });
}
