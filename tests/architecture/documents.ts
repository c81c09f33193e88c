import { Visitor, parseSync } from 'oxc-parser';
import type { SourceFile } from './sources.ts';

/** Variables that belong to the system and not to this product. */
const FOREIGN_VARIABLES = new Set(['PATH']);

/** Names that appear on one side only, each with what to do about it. */
export function findDifferences(
  made: { readonly names: Iterable<string>; readonly where: string },
  told: { readonly names: Iterable<string>; readonly where: string },
): readonly string[] {
  const [left, right] = [new Set(made.names), new Set(told.names)];
  return [
    ...[...left]
      .filter((name) => !right.has(name))
      .map((name) => `${name} is in ${made.where} but not in ${told.where}`),
    ...[...right]
      .filter((name) => !left.has(name))
      .map((name) => `${name} is in ${told.where} but not in ${made.where}`),
  ];
}

/** The variables of an example file, commented out (`# NAME=value`) or not. */
export function readExampleVariables(text: string): readonly string[] {
  return [...text.matchAll(/^(?:# )?([A-Z][A-Z0-9_]+)=/gm)].map(([, name]) => name ?? '');
}

interface ConfigField {
  readonly name: string;
  /** Where the field starts in its file. */
  readonly start: number;
  readonly value: string;
}

/** Every variable that a schema named `…Config` declares. Its keys in capitals are the variables. */
export function readConfigVariables(files: readonly SourceFile[]): ReadonlySet<string> {
  const names = files.flatMap((file) => readConfigFields(file).map(({ name }) => name));
  return new Set(names.filter((name) => !FOREIGN_VARIABLES.has(name)));
}

/** The keys in capitals of the schemas of a file that are named `…Config`. */
export function readConfigFields({ path, text }: SourceFile): readonly ConfigField[] {
  if (!/Config\b/.test(text)) return [];
  const schemas: { readonly start: number; readonly end: number }[] = [];
  const fields: ConfigField[] = [];
  new Visitor({
    VariableDeclarator({ id, start, end }) {
      if (id.type === 'Identifier' && id.name.endsWith('Config')) schemas.push({ start, end });
    },
    Property({ key, value, start }) {
      if (key.type === 'Identifier' && /^[A-Z][A-Z0-9_]+$/.test(key.name))
        fields.push({ name: key.name, start, value: text.slice(value.start, value.end) });
    },
  }).visit(parseSync(path, text).program);
  return fields.filter(({ start }) => schemas.some((schema) => schema.start < start && start < schema.end));
}

/** The variables that a compose file takes from its environment: `${NAME}`, with or without a default. */
export function readComposeVariables(text: string): readonly string[] {
  return [...text.matchAll(/\$\{([A-Z][A-Z0-9_]*)/g)].map(([, name]) => name ?? '');
}

/** Links of a document to files of the repository that are not there, or to headings that they do not have. */
export function findDeadLinks(
  document: { readonly path: string; readonly text: string },
  readAt: (path: string) => string | null,
): readonly string[] {
  const folder = document.path.includes('/') ? document.path.replace(/\/[^/]*$/, '/') : '';
  return [...document.text.matchAll(/\]\(([^)#\s]*)(?:#([^)\s]*))?\)/g)].flatMap(([, link = '', heading]) => {
    if (/^[a-z]+:/.test(link)) return [];
    const path = link === '' ? document.path : new URL(link, `file:///${folder}`).pathname.slice(1);
    const text = link === '' ? document.text : readAt(path);
    if (text === null) return [`${document.path}: the link to ${link} leads nowhere`];
    if (heading === undefined || readAnchors(text).has(heading)) return [];
    return [`${document.path}: ${path} has no heading #${heading}`];
  });
}

/** The anchors that a forge gives to the headings of a document: small letters, no punctuation, dashes for spaces. */
function readAnchors(markdown: string): ReadonlySet<string> {
  const headings = [...markdown.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading]) => heading ?? '');
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, '')
        .trim()
        .replaceAll(' ', '-'),
    ),
  );
}
