import type { Delimiters } from './forms.ts';
import {
  BLOCK_COMMENT,
  CHARACTER_LITERAL,
  DOUBLE_QUOTED,
  DOUBLE_QUOTED_LINES,
  HASH_COMMENT,
  HEREDOC,
  JS_REGEX_LITERAL,
  LINE_COMMENT,
  NESTED_COMMENT,
  PERCENT_LITERAL,
  RAW_BACKTICK,
  CPP_RAW_STRING,
  SWIFT_RAW_STRING,
  RUST_RAW_STRING,
  RUBY_COMMENT,
  SINGLE_QUOTED,
  SINGLE_QUOTED_LINES,
  TEMPLATE_LITERAL,
  TRIPLE_QUOTED,
  TRIPLE_SINGLE_QUOTED,
  VERBATIM_STRING,
} from './forms.ts';

/** How functions begin: with a keyword (`fn name() {`), a name before parentheses (`int name() {`), an arrow, or an indented line. */
export type FunctionShape = 'word' | 'parentheses' | 'arrow' | 'indentation';

/** Syntax of a language, enough to measure functions without a parser. */
export interface Language {
  readonly name: string;
  readonly extensions: readonly string[];
  readonly forms: readonly Delimiters[];
  readonly shape: FunctionShape;
  /** Matches the header before a function body; its groups are names. With the shape `indentation`, matches the line. */
  readonly functions: RegExp;
  /** Matches blocks of control flow, which add nesting. */
  readonly control: RegExp;
  /** Matches branches, which add complexity. */
  readonly branches: string;
  /** True when lines that begin with `#` are preprocessor directives. */
  readonly hasPreprocessor?: true;
  /** True when nested functions count as part of their parent. */
  readonly isFlat?: true;
  /** True when code is between `<?php` and `?>`. */
  readonly isEmbedded?: true;
}

const TERNARY = String.raw`(?<=\s)\?(?=\s)`;
const LOGIC = String.raw`&&|\|\|`;
/** Matches whole words that are not members: `catch`, but not the `catch` of `promise.catch`. */
const words = (list: string): string => String.raw`(?<![\w$.])(?:${list})(?![\w$])`;
const control = (list: string): RegExp => new RegExp(words(list));

const C_LIKE = String.raw`([\w$~]+)\s*(?:<[^<>]{0,80}>\s*)?\(\)`;
const C_CONTROL = 'if|else|for|while|do|switch|try|catch';

const JAVASCRIPT: Language = {
  name: 'JavaScript',
  extensions: ['js', 'mjs', 'cjs', 'jsx'],
  forms: [LINE_COMMENT, BLOCK_COMMENT, SINGLE_QUOTED, DOUBLE_QUOTED, TEMPLATE_LITERAL, JS_REGEX_LITERAL],
  shape: 'arrow',
  functions: /([\w$#]*)\s*\(\)$/,
  control: control('if|else|for|while|do|switch|try|catch|finally'),
  branches: `${words('if|for|while|catch|switch')}|${LOGIC}|\\?\\?|${TERNARY}`,
};

export const LANGUAGES: readonly Language[] = [
  JAVASCRIPT,
  {
    ...JAVASCRIPT,
    name: 'TypeScript',
    extensions: ['ts', 'mts', 'cts', 'tsx'],
    functions: /([\w$#]*)\s*(?:<[^()]{0,80}>\s*)?\(\)(?:\s*:\s*[^\s:?][^?]{0,120})?$/,
  },
  {
    name: 'Python',
    extensions: ['py'],
    forms: [HASH_COMMENT, TRIPLE_QUOTED, TRIPLE_SINGLE_QUOTED, SINGLE_QUOTED, DOUBLE_QUOTED],
    shape: 'indentation',
    functions: /^(?:async\s+)?def\s+(\w+)/,
    control: /^(?:async\s+)?(?:if|elif|else|for|while|try|except|finally|match)\b/,
    branches: words('if|elif|for|while|except|and|or'),
  },
  {
    name: 'Ruby',
    extensions: ['rb', 'rake'],
    forms: [RUBY_COMMENT, HASH_COMMENT, HEREDOC, PERCENT_LITERAL, SINGLE_QUOTED, DOUBLE_QUOTED, JS_REGEX_LITERAL],
    shape: 'indentation',
    functions: /^def\s+(?:self\.)?([\w?!=[\]<>+*/%-]+)/,
    control: /^(?:if|elsif|else|unless|while|until|for|case|when|in|begin|rescue|ensure)\b/,
    branches: `${words('if|elsif|unless|while|until|for|rescue|case|and|or')}|${LOGIC}|${TERNARY}`,
  },
  {
    name: 'Go',
    extensions: ['go'],
    forms: [LINE_COMMENT, BLOCK_COMMENT, DOUBLE_QUOTED, RAW_BACKTICK, CHARACTER_LITERAL],
    shape: 'word',
    functions: /\bfunc\b\s*(?:\(\)\s*)?(\w*)(?:\[\])?\s*\(\)[^;\n]{0,120}$/,
    control: control('if|else|for|switch|select'),
    branches: `${words('if|for|switch|select')}|${LOGIC}`,
  },
  {
    name: 'Rust',
    extensions: ['rs'],
    forms: [LINE_COMMENT, NESTED_COMMENT, RUST_RAW_STRING, DOUBLE_QUOTED_LINES, CHARACTER_LITERAL],
    shape: 'word',
    functions: /\bfn\s+(\w+)\s*(?:<[^()]{0,120}>\s*)?\(\)[^;]{0,160}$/,
    control: control('if|else|for|while|loop|match'),
    branches: `${words('if|for|while|match')}|&&|\\|\\|(?=\\s)`,
  },
  {
    name: 'Java',
    extensions: ['java'],
    forms: [LINE_COMMENT, BLOCK_COMMENT, TRIPLE_QUOTED, DOUBLE_QUOTED, CHARACTER_LITERAL],
    shape: 'parentheses',
    functions: new RegExp(String.raw`${C_LIKE}\s*(?:throws\s[\w.,\s]{1,160})?$`),
    control: control(`${C_CONTROL}|finally`),
    branches: `${words('if|for|while|catch|switch')}|${LOGIC}|${TERNARY}`,
    isFlat: true,
  },
  {
    name: 'C#',
    extensions: ['cs'],
    forms: [LINE_COMMENT, BLOCK_COMMENT, TRIPLE_QUOTED, VERBATIM_STRING, DOUBLE_QUOTED, CHARACTER_LITERAL],
    shape: 'parentheses',
    functions: new RegExp(String.raw`${C_LIKE}\s*(?:where\s[^;]{1,160}|:\s*(?:base|this)\s*\(\))?$`),
    control: control(`${C_CONTROL}|finally|foreach`),
    branches: `${words('if|for|foreach|while|catch|switch')}|${LOGIC}|\\?\\?|${TERNARY}`,
    hasPreprocessor: true,
    isFlat: true,
  },
  {
    name: 'C',
    extensions: ['c', 'h'],
    forms: [LINE_COMMENT, BLOCK_COMMENT, DOUBLE_QUOTED, CHARACTER_LITERAL],
    shape: 'parentheses',
    functions: new RegExp(String.raw`${C_LIKE}\s*$`),
    control: control(C_CONTROL),
    branches: `${words('if|for|while|switch')}|${LOGIC}|${TERNARY}`,
    hasPreprocessor: true,
    isFlat: true,
  },
  {
    name: 'C++',
    extensions: ['cc', 'cpp', 'cxx', 'hpp', 'hh', 'hxx'],
    forms: [LINE_COMMENT, BLOCK_COMMENT, CPP_RAW_STRING, DOUBLE_QUOTED, CHARACTER_LITERAL],
    shape: 'parentheses',
    functions: new RegExp(
      String.raw`${C_LIKE}\s*(?:(?:const|noexcept|override|final|volatile)\b[\s()]*)*(?:->[^;]{1,80}|:[^:;][^;]{0,160})?$`,
    ),
    control: control(C_CONTROL),
    branches: `${words('if|for|while|catch|switch')}|${LOGIC}|${TERNARY}`,
    hasPreprocessor: true,
    isFlat: true,
  },
  {
    name: 'PHP',
    extensions: ['php'],
    forms: [LINE_COMMENT, HASH_COMMENT, BLOCK_COMMENT, HEREDOC, SINGLE_QUOTED_LINES, DOUBLE_QUOTED_LINES],
    shape: 'word',
    functions: /\bfunction\s*(?:&\s*)?(?:(\w+)\s*)?\(\)(?:\s*use\s*\(\))?(?:\s*:[\w\\|?&\s]{1,100})?$/i,
    control: control('if|else|elseif|for|foreach|while|do|switch|try|catch|finally|match'),
    branches: `${words('if|elseif|for|foreach|while|catch|switch|match')}|${LOGIC}|\\?\\?|${TERNARY}`,
    isEmbedded: true,
  },
  {
    name: 'Kotlin',
    extensions: ['kt', 'kts'],
    forms: [LINE_COMMENT, NESTED_COMMENT, TRIPLE_QUOTED, DOUBLE_QUOTED, CHARACTER_LITERAL],
    shape: 'word',
    functions: /\bfun\b\s*(?:<[^()]{0,80}>\s*)?(?:[\w.<>?]{1,80}\.)?(\w+)\s*\(\)[^={\n]{0,120}$/,
    control: control('if|else|for|while|do|when|try|catch|finally'),
    branches: `${words('if|for|while|catch|when')}|${LOGIC}|\\?:`,
  },
  {
    name: 'Swift',
    extensions: ['swift'],
    forms: [LINE_COMMENT, NESTED_COMMENT, SWIFT_RAW_STRING, TRIPLE_QUOTED, DOUBLE_QUOTED],
    shape: 'word',
    functions: /\b(?:func\s+([\w]+|[-+*/=<>!&|^~]+)|(init)[?!]?)\s*(?:<[^()]{0,80}>\s*)?\(\)[^;={]{0,160}$/,
    control: control('if|else|for|while|repeat|switch|do|catch|guard'),
    branches: `${words('if|for|while|catch|switch|guard|repeat')}|${LOGIC}|\\?\\?|${TERNARY}`,
  },
];

const BY_EXTENSION = new Map(LANGUAGES.flatMap((one) => one.extensions.map((extension) => [extension, one] as const)));

/** Returns the language of a file by its extension; null when unsupported. */
export function findLanguage(path: string): Language | null {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const dot = name.lastIndexOf('.');
  return dot > 0 ? (BY_EXTENSION.get(name.slice(dot + 1).toLowerCase()) ?? null) : null;
}
