/** What in a source is no code: comments, strings, expressions for searching. */
export interface Form {
  readonly kind: 'comment' | 'string';
  /** A pattern without groups that tells its beginning. */
  readonly open: string;
  /** What ends it, by how it began. `line`: the end of the line. `itself`: the pattern holds all of it. */
  readonly close: ((opened: string) => string) | 'line' | 'itself' | 'template' | 'expression' | 'heredoc';
  /** Whether a backslash takes the meaning of what follows it. */
  readonly escapes?: true;
  /** Whether it ends with its line at the latest: what is not closed there was none. */
  readonly isInLine?: true;
  readonly nests?: true;
  /** Whether its end, doubled, stands for itself. */
  readonly doubles?: true;
}

const always =
  (close: string): (() => string) =>
  () =>
    close;

/** `https://…` between tags of a page is no comment. */
export const LINE: Form = { kind: 'comment', open: '(?<!:)//', close: 'line' };
/** In PHP `#[` is an attribute. */
export const HASH: Form = { kind: 'comment', open: String.raw`#(?!\[)`, close: 'line' };
export const BLOCK: Form = { kind: 'comment', open: String.raw`/\*`, close: always('*/') };
export const NESTED_BLOCK: Form = { ...BLOCK, nests: true };
export const RUBY_BLOCK: Form = { kind: 'comment', open: '^=begin\\b', close: always('\n=end') };

export const SINGLE: Form = { kind: 'string', open: "'", close: always("'"), escapes: true, isInLine: true };
export const DOUBLE: Form = { kind: 'string', open: '"', close: always('"'), escapes: true, isInLine: true };
export const SINGLE_LINES: Form = { kind: 'string', open: "'", close: always("'"), escapes: true };
export const DOUBLE_LINES: Form = { kind: 'string', open: '"', close: always('"'), escapes: true };
export const TRIPLE: Form = { kind: 'string', open: '"""', close: always('"""'), escapes: true };
export const TRIPLE_SINGLE: Form = { kind: 'string', open: "'''", close: always("'''"), escapes: true };
export const RAW_BACKTICK: Form = { kind: 'string', open: '`', close: always('`') };
export const VERBATIM: Form = { kind: 'string', open: String.raw`(?:@\$?|\$@)"`, close: always('"'), doubles: true };
export const RAW_RUST: Form = {
  kind: 'string',
  open: String.raw`\bb?r#{0,16}"`,
  close: (opened) => `"${opened.replaceAll(/[^#]/g, '')}`,
};
export const RAW_HASHES: Form = {
  kind: 'string',
  open: String.raw`#{1,16}"(?:"")?`,
  close: (opened) => opened.split('').toReversed().join(''),
};
export const RAW_CPP: Form = {
  kind: 'string',
  open: String.raw`\bR"[^()\\\s"]{0,16}\(`,
  close: (opened) => `)${opened.slice(2, -1)}"`,
};
/** One character: never mistaken for the lifetimes of Rust or the digits of C++. */
export const CHARACTER: Form = {
  kind: 'string',
  open: String.raw`(?<![\w])'(?:\\[^\n]{1,10}?|[^\\'\n])'`,
  close: 'itself',
};
/** With code in `${…}`. */
export const TEMPLATE: Form = { kind: 'string', open: '`', close: 'template' };
/** `/…/`, told from a division by what stands before. */
export const JS_REGEX: Form = { kind: 'string', open: '/', close: 'expression' };
/** `<<~NAME` and `<<<NAME`, up to a line that begins with the name. */
export const HEREDOC: Form = {
  kind: 'string',
  open: String.raw`<<<?[~-]?["']?[A-Z_][A-Za-z_0-9]{0,40}["']?`,
  close: 'heredoc',
};
/** `%r!…!` and `%w[…]` of Ruby. */
export const PERCENT: Form = {
  kind: 'string',
  open: String.raw`%[rwWqQiI][!({[|<]`,
  close: (opened) => PARTNER[opened.slice(-1)] ?? opened.slice(-1),
  escapes: true,
};

const PARTNER: Readonly<Record<string, string>> = { '(': ')', '{': '}', '[': ']', '<': '>' };
