/** A link target as written, without angle brackets, and the line of the link. */
export type Link = { readonly target: string; readonly line: number };

export interface Page {
  readonly links: readonly Link[];
  /** Anchors of the page, which a link names after `#`, in lower case. */
  readonly anchors: readonly string[];
  /** Code blocks, line by line, and inline code. */
  readonly code: readonly { readonly text: string; readonly line: number }[];
  readonly hasCodeBlock: boolean;
  /** True when the page begins with YAML or TOML front matter, which site generators use. */
  readonly hasFrontMatter: boolean;
}

const MAX_LINKS = 500;
const MAX_ANCHORS = 1_000;
const MAX_CODE_LINES = 500;

/** Reads the links, headings and code of a Markdown page in linear time, without a full parser, which hostile input could stall. */
export function readMarkdown(text: string): Page {
  const links: Link[] = [];
  const headings: string[] = [];
  const ids: string[] = [];
  const code: { text: string; line: number }[] = [];
  let hasCodeBlock = false;
  let fence: string | null = null;
  let isInList = false;
  let before = '';
  for (const [index, whole] of removeComments(text).split('\n').entries()) {
    const line = whole.slice(0, MAX_LINE_LENGTH).trimEnd();
    const at = index + 1;
    if (line === '') {
      before = '';
      continue;
    }
    const mark = FENCE.exec(line)?.[1];
    if (fence !== null) {
      if (mark?.startsWith(fence) && line.replace(/^[ \t>]+/, '') === mark) fence = null;
      else if (code.length < MAX_CODE_LINES) code.push({ text: line, line: at });
      continue;
    }
    if (mark !== undefined) {
      fence = mark;
      hasCodeBlock = true;
      continue;
    }
    if (/^\S/.test(line)) isInList = LIST_ITEM.test(line);
    if (!isInList && /^(?: {4}|\t)\s*\S/.test(line)) {
      hasCodeBlock = true;
      if (code.length < MAX_CODE_LINES) code.push({ text: line.trim(), line: at });
      continue;
    }
    const spans = [...line.matchAll(CODE_SPAN)].map(([span]) => ({ text: span.replaceAll('`', ''), line: at }));
    if (code.length < MAX_CODE_LINES) code.push(...spans);
    const heading = HEADING.exec(line)?.[1] ?? HTML_HEADING.exec(line)?.[1] ?? (UNDERLINE.test(line) ? before : '');
    if (heading.trim() !== '') headings.push(heading);
    before = line;
    for (const [, id = ''] of line.matchAll(ID)) ids.push(id);
    links.push(...readLinks(line.replaceAll(CODE_SPAN, ''), at));
  }
  return {
    links: links.slice(0, MAX_LINKS),
    anchors: [...toAnchors(headings), ...ids.map((id) => id.toLowerCase())].slice(0, MAX_ANCHORS),
    code,
    hasCodeBlock,
    hasFrontMatter: /^---\r?\n/.test(text),
  };
}

const MAX_LINE_LENGTH = 20_000;
const FENCE = /^[ \t>]{0,40}(?:(?:[-*+]|\d{1,9}[.)])[ \t]{1,8})?(`{3,}|~{3,})/;
const LIST_ITEM = /^(?:[-*+]|\d{1,9}[.)])[ \t]/;
const CODE_SPAN = /``[^`](?:[^`]|`(?!`))*``|`[^`]+`/g;
const HEADING = /^ {0,3}#{1,6}[ \t]+(.*)$/s;
const HTML_HEADING = /<h[1-6]\b[^<>]{0,200}>([^\n]{0,500}?)<\/h[1-6]>/i;
const UNDERLINE = /^ {0,3}(?:={2,}|-{2,})$/;
const ID = /\b(?:id|name)\s?=\s?["']([^"'<>]{1,200})["']|\{#([\w-]{1,200})\}/g;

/** Matches `](target)`, `](<target>)`, `[name]: target`, and HTML attributes. */
const INLINE = /\]\(\s{0,8}(?:<([^<>]{1,1000})>|([^\s()<>]{1,1000}(?:\([^\s()]{0,200}\)[^\s()]{0,200})?))/g;
const DEFINITION = /^ {0,3}\[(?!\^)[^\]]{1,200}\]:[ \t]{0,8}(?:<([^<>]{1,1000})>|(\S{1,1000}))/;
const ATTRIBUTE = /<(?:img|a|source|video)\b[^<>]{0,1000}?\b(?:src|href)\s?=\s?["']([^"'<>]{1,1000})["']/gi;

function readLinks(line: string, at: number): readonly Link[] {
  const definition = DEFINITION.exec(line);
  const matches = [...line.matchAll(INLINE), ...line.matchAll(ATTRIBUTE), ...(definition ? [definition] : [])];
  return matches.map((match) => ({ target: (match[1] ?? match[2] ?? '').trim(), line: at }));
}

/** Removes HTML comments but keeps their line ends. An unclosed comment reaches to the end of the page. */
function removeComments(text: string): string {
  return text.replaceAll(/<!--[^]*?(?:-->|$)/g, (comment) => comment.replaceAll(/[^\n]/g, ''));
}

/** Builds heading anchors as GitHub does, with numbers for repeated headings; adds variants for `_emphasis_` and `:emoji:`. */
function toAnchors(headings: readonly string[]): readonly string[] {
  const seen = new Map<string, number>();
  return headings.flatMap((heading) => {
    const text = heading
      .slice(0, 500)
      .replace(/[ \t]#+[ \t]*$/, '')
      .replaceAll(/!\[[^\]]{0,200}\]\([^)]{0,500}\)/g, '')
      .replaceAll(/\[([^\]]{0,300})\](?:\([^)]{0,500}\)|\[[^\]]{0,200}\])/g, '$1')
      // Angle brackets in inline code are not HTML tags.
      .replaceAll(CODE_SPAN, (span) => span.replaceAll(/[`<>]/g, ''))
      .replaceAll(/\\[<>]/g, '')
      .replaceAll(/<[!/a-z][^<>]{0,500}>/gi, '')
      .replaceAll(/\{#[\w-]{1,200}\}/g, '')
      .trim();
    const slugs = new Set(
      [text, text.replaceAll(/(?<!\w)_|_(?!\w)/g, ''), text.replaceAll(/:[\w+-]{1,50}:/g, '')].map(toSlug),
    );
    const [first = ''] = slugs;
    const count = seen.get(first) ?? 0;
    seen.set(first, count + 1);
    return [...slugs].map((slug) => (count === 0 ? slug : `${slug}-${count}`));
  });
}

function toSlug(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-');
}
