/** Syntax of a comment, string or regular expression. */
export interface Delimiters {
  readonly kind: 'comment' | 'string';
  /** Regular expression without groups for the opening delimiter. */
  readonly open: string;
  /** Computes the closing delimiter from the opening one. `line`: end of line. `itself`: `open` matches everything. */
  readonly close: ((opened: string) => string) | 'line' | 'itself' | 'template' | 'expression' | 'heredoc';
  /** True when a backslash escapes the next character. */
  readonly escapes?: true;
  /** True when the closing delimiter must be on the same line; otherwise `open` did not begin a string. */
  readonly isInLine?: true;
  readonly nests?: true;
  /** True when a doubled closing delimiter is literal. */
  readonly doubles?: true;
}

type Traits = Pick<Delimiters, 'escapes' | 'isInLine' | 'nests' | 'doubles'>;

/** Builds a syntax form that ends with a fixed text, or with a text that depends on its beginning. */
function createForm(
  kind: Delimiters['kind'],
  open: string,
  close: string | ((opened: string) => string),
  traits: Traits = {},
): Delimiters {
  return { kind, open, close: typeof close === 'string' ? () => close : close, ...traits };
}

/** A `//` begins a line comment, except in `https://`, which occurs in markup. */
export const LINE_COMMENT: Delimiters = { kind: 'comment', open: '(?<!:)//', close: 'line' };
/** A `#` begins a comment, except `#[`, which begins an attribute in PHP. */
export const HASH_COMMENT: Delimiters = { kind: 'comment', open: String.raw`#(?!\[)`, close: 'line' };
export const BLOCK_COMMENT = createForm('comment', String.raw`/\*`, '*/');
export const NESTED_COMMENT: Delimiters = { ...BLOCK_COMMENT, nests: true };
export const RUBY_COMMENT = createForm('comment', '^=begin\\b', '\n=end');

export const SINGLE_QUOTED = createForm('string', "'", "'", { escapes: true, isInLine: true });
export const DOUBLE_QUOTED = createForm('string', '"', '"', { escapes: true, isInLine: true });
export const SINGLE_QUOTED_LINES = createForm('string', "'", "'", { escapes: true });
export const DOUBLE_QUOTED_LINES = createForm('string', '"', '"', { escapes: true });
export const TRIPLE_QUOTED = createForm('string', '"""', '"""', { escapes: true });
export const TRIPLE_SINGLE_QUOTED = createForm('string', "'''", "'''", { escapes: true });
export const RAW_BACKTICK = createForm('string', '`', '`');
export const VERBATIM_STRING = createForm('string', String.raw`(?:@\$?|\$@)"`, '"', { doubles: true });
export const RUST_RAW_STRING = createForm(
  'string',
  String.raw`\bb?r#{0,16}"`,
  (opened) => `"${opened.replaceAll(/[^#]/g, '')}`,
);
export const SWIFT_RAW_STRING = createForm('string', String.raw`#{1,16}"(?:"")?`, (opened) =>
  opened.split('').toReversed().join(''),
);
export const CPP_RAW_STRING = createForm(
  'string',
  String.raw`\bR"[^()\\\s"]{0,16}\(`,
  (opened) => `)${opened.slice(2, -1)}"`,
);
/** A literal of exactly one character, unlike lifetimes in Rust and digit separators in C++. */
export const CHARACTER_LITERAL: Delimiters = {
  kind: 'string',
  open: String.raw`(?<![\w])'(?:\\[^\n]{1,10}?|[^\\'\n])'`,
  close: 'itself',
};
export const TEMPLATE_LITERAL: Delimiters = { kind: 'string', open: '`', close: 'template' };
/** A regular expression. The preceding token tells it from a division. */
export const JS_REGEX_LITERAL: Delimiters = { kind: 'string', open: '/', close: 'expression' };
/** A heredoc: `<<~NAME` or `<<<NAME`, up to a line that begins with the name. */
export const HEREDOC: Delimiters = {
  kind: 'string',
  open: String.raw`<<<?[~-]?["']?[A-Z_][A-Za-z_0-9]{0,40}["']?`,
  close: 'heredoc',
};
/** A Ruby literal such as `%r!…!` or `%w[…]`. */
export const PERCENT_LITERAL = createForm(
  'string',
  String.raw`%[rwWqQiI][!({[|<]`,
  (opened) => PARTNER[opened.slice(-1)] ?? opened.slice(-1),
  { escapes: true },
);

const PARTNER: Readonly<Record<string, string>> = { '(': ')', '{': '}', '[': ']', '<': '>' };
