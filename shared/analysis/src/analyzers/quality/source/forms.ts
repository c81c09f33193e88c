/** Syntax of a comment, string or regular expression. */
export interface Delimiters {
  readonly kind: 'comment' | 'string';
  /** Regular expression without groups for the opening delimiter. */
  readonly open: string;
  /** Computes the closing delimiter from the opening one. `line`: end of line. `itself`: `open` matches everything. */
  readonly close: ((opened: string) => string) | 'line' | 'itself' | 'template' | 'expression' | 'heredoc';
  /** True when a backslash escapes the next character. */
  readonly escapes?: true;
  /** True when it must close on its line; otherwise it was not an opening. */
  readonly isInLine?: true;
  readonly nests?: true;
  /** True when a doubled closing delimiter is literal. */
  readonly doubles?: true;
}

const always =
  (close: string): (() => string) =>
  () =>
    close;

/** The `//` of `https://` in markup is not a comment. */
export const LINE: Delimiters = { kind: 'comment', open: '(?<!:)//', close: 'line' };
/** `#[` begins an attribute in PHP. */
export const HASH: Delimiters = { kind: 'comment', open: String.raw`#(?!\[)`, close: 'line' };
export const BLOCK: Delimiters = { kind: 'comment', open: String.raw`/\*`, close: always('*/') };
export const NESTED_BLOCK: Delimiters = { ...BLOCK, nests: true };
export const RUBY_BLOCK: Delimiters = { kind: 'comment', open: '^=begin\\b', close: always('\n=end') };

export const SINGLE: Delimiters = { kind: 'string', open: "'", close: always("'"), escapes: true, isInLine: true };
export const DOUBLE: Delimiters = { kind: 'string', open: '"', close: always('"'), escapes: true, isInLine: true };
export const SINGLE_LINES: Delimiters = { kind: 'string', open: "'", close: always("'"), escapes: true };
export const DOUBLE_LINES: Delimiters = { kind: 'string', open: '"', close: always('"'), escapes: true };
export const TRIPLE: Delimiters = { kind: 'string', open: '"""', close: always('"""'), escapes: true };
export const TRIPLE_SINGLE: Delimiters = { kind: 'string', open: "'''", close: always("'''"), escapes: true };
export const RAW_BACKTICK: Delimiters = { kind: 'string', open: '`', close: always('`') };
export const VERBATIM: Delimiters = {
  kind: 'string',
  open: String.raw`(?:@\$?|\$@)"`,
  close: always('"'),
  doubles: true,
};
export const RAW_RUST: Delimiters = {
  kind: 'string',
  open: String.raw`\bb?r#{0,16}"`,
  close: (opened) => `"${opened.replaceAll(/[^#]/g, '')}`,
};
export const RAW_HASHES: Delimiters = {
  kind: 'string',
  open: String.raw`#{1,16}"(?:"")?`,
  close: (opened) => opened.split('').toReversed().join(''),
};
export const RAW_CPP: Delimiters = {
  kind: 'string',
  open: String.raw`\bR"[^()\\\s"]{0,16}\(`,
  close: (opened) => `)${opened.slice(2, -1)}"`,
};
/** Exactly one character, to exclude lifetimes of Rust and digit separators of C++. */
export const CHARACTER: Delimiters = {
  kind: 'string',
  open: String.raw`(?<![\w])'(?:\\[^\n]{1,10}?|[^\\'\n])'`,
  close: 'itself',
};
export const TEMPLATE: Delimiters = { kind: 'string', open: '`', close: 'template' };
/** A regular expression; the preceding token excludes a division. */
export const JS_REGEX: Delimiters = { kind: 'string', open: '/', close: 'expression' };
/** `<<~NAME` or `<<<NAME`, up to a line that begins with the name. */
export const HEREDOC: Delimiters = {
  kind: 'string',
  open: String.raw`<<<?[~-]?["']?[A-Z_][A-Za-z_0-9]{0,40}["']?`,
  close: 'heredoc',
};
/** `%r!…!` and `%w[…]` of Ruby. */
export const PERCENT: Delimiters = {
  kind: 'string',
  open: String.raw`%[rwWqQiI][!({[|<]`,
  close: (opened) => PARTNER[opened.slice(-1)] ?? opened.slice(-1),
  escapes: true,
};

const PARTNER: Readonly<Record<string, string>> = { '(': ')', '{': '}', '[': ']', '<': '>' };
