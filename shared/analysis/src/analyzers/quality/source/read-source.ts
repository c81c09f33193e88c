import type { Delimiters } from './forms.ts';
import type { Language } from './languages.ts';

/** A source text, with its strings and comments found. */
export interface SourceText {
  readonly text: string;
  /** The text with spaces for comments and quotes for string contents, so that offsets do not change. */
  readonly code: string;
  readonly comments: readonly Span[];
  readonly lineStarts: readonly number[];
}

export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Finds comments and strings in linear time, without parsing. An unclosed comment or string ends with its line or the file. */
export function readSource(text: string, language: Language): SourceText {
  const spans = new Scanner(text, language).scan();
  return {
    text,
    code: maskSpans(text, spans, ({ kind }) => (kind === 'string' ? '"' : ' ')),
    comments: spans.filter(({ kind }) => kind === 'comment'),
    lineStarts: findLineStarts(text),
  };
}

/** Replaces every character of the spans, except line ends, by the mask, so that offsets do not change. */
export function maskSpans<S extends Span>(text: string, spans: readonly S[], getMask: (span: S) => string): string {
  const parts: string[] = [];
  let at = 0;
  for (const span of spans) {
    parts.push(text.slice(at, span.start), text.slice(span.start, span.end).replaceAll(/[^\n]/g, getMask(span)));
    at = span.end;
  }
  return parts.join('') + text.slice(at);
}

/** Returns the line of an offset, from 1. */
export function getLineNumber({ lineStarts }: Pick<SourceText, 'lineStarts'>, offset: number): number {
  let [low, high] = [0, lineStarts.length];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((lineStarts[middle] ?? 0) <= offset) low = middle;
    else high = middle;
  }
  return low + 1;
}

function findLineStarts(text: string): readonly number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

interface KindOfSpan extends Span {
  readonly kind: Delimiters['kind'];
}

/** Words after which a slash begins a regular expression. */
const BEFORE_EXPRESSION =
  /(?:^|[^\w$.])(?:return|typeof|case|in|of|delete|void|throw|do|else|await|yield|if|unless|when|and|or|not)$/;
/** Maximum number of unclosed heredocs. More occur only in a hostile file, and each costs a search through the rest of the text. */
const MAX_HEREDOCS = 20;

const MAX_INDENTED = 100;

class Scanner {
  private readonly spans: KindOfSpan[] = [];
  private readonly triggers: RegExp;
  /** End of the line on which a delimiter stays unclosed, so that the line is not searched again. */
  private readonly unclosedUntil = new Map<Delimiters, number>();
  /** Stack with the number of open braces in each open template literal. */
  private readonly templates: number[] = [];
  private missedHeredocs = 0;
  private readonly text: string;
  private readonly language: Language;

  constructor(text: string, language: Language) {
    this.text = text;
    this.language = language;
    const opens = language.forms.map(({ open }) => `(${open})`);
    const rest = [
      ...(language.forms.some(({ close }) => close === 'template') ? ['([{}])'] : []),
      ...(language.isEmbedded ? [String.raw`(\?>)`] : []),
    ];
    this.triggers = new RegExp([...opens, ...rest].join('|'), 'gm');
  }

  scan(): readonly KindOfSpan[] {
    let at = this.language.isEmbedded ? this.skipPage(0) : 0;
    while (at < this.text.length) {
      this.triggers.lastIndex = at;
      const match = this.triggers.exec(this.text);
      if (!match) break;
      const index = match.slice(1).findIndex((group) => group !== undefined);
      const form = this.language.forms[index];
      const after = match.index + match[0].length;
      if (form) at = this.take(form, match.index, match[0]);
      else if (match[0] === '?>') at = this.skipPage(match.index);
      else at = this.countBrace(match[0], match.index, after);
    }
    return this.spans;
  }

  /** Records a comment or string at an offset. Returns the offset where the code continues. */
  private take(form: Delimiters, start: number, opened: string): number {
    const { text } = this;
    const from = start + opened.length;
    if (start < (this.unclosedUntil.get(form) ?? -1)) return from;
    switch (form.close) {
      case 'itself':
        return this.add(form, start, from);
      case 'line':
        return this.add(form, start, this.endOfLine(from));
      case 'template':
        return this.takeTemplate(start, from);
      case 'expression':
        return this.takeExpression(form, start);
      case 'heredoc':
        return this.takeHeredoc(form, start, opened);
      default: {
        const close = form.close(opened);
        const end = form.nests ? findNestedEnd(text, from) : findEnd(text, from, close, form);
        if (end !== null) return this.add(this.isDocumentation(form, start) ? COMMENT : form, start, end);
        if (!form.isInLine) return this.add(form, start, text.length);
        this.unclosedUntil.set(form, this.endOfLine(from));
        return from;
      }
    }
  }

  private add({ kind }: Pick<Delimiters, 'kind'>, start: number, end: number): number {
    this.spans.push({ kind, start, end });
    return end;
  }

  private endOfLine(from: number): number {
    const end = this.text.indexOf('\n', from);
    return end < 0 ? this.text.length : end;
  }

  /** True for a Python docstring, that is, a string at the start of a line. */
  private isDocumentation(form: Delimiters, start: number): boolean {
    if (this.language.shape !== 'indentation' || !form.open.startsWith(form.open.charAt(0).repeat(3))) return false;
    const before = this.text.slice(Math.max(0, start - MAX_INDENTED), start);
    return before.slice(before.lastIndexOf('\n') + 1).trim() === '' && (start <= MAX_INDENTED || before.includes('\n'));
  }

  private takeTemplate(start: number, from: number): number {
    for (let at = from; at < this.text.length; at += 1) {
      const char = this.text.charCodeAt(at);
      if (char === BACKSLASH) at += 1;
      else if (char === BACKTICK) return this.add(STRING, start, at + 1);
      else if (char === DOLLAR && this.text.charCodeAt(at + 1) === BRACE) {
        this.templates.push(0);
        return this.add(STRING, start, at + 2);
      }
    }
    return this.add(STRING, start, this.text.length);
  }

  private countBrace(brace: string, start: number, after: number): number {
    const depth = this.templates.at(-1);
    if (depth === undefined) return after;
    if (brace === '}' && depth === 0) {
      this.templates.pop();
      return this.takeTemplate(start, after);
    }
    this.templates[this.templates.length - 1] = depth + (brace === '{' ? 1 : -1);
    return after;
  }

  private takeExpression(form: Delimiters, start: number): number {
    if (!this.mayBeginExpression(start)) return start + 1;
    let isInClass = false;
    for (let at = start + 1; at < this.text.length; at += 1) {
      const char = this.text[at];
      if (char === '\n') break;
      if (char === '\\') at += 1;
      else if (char === '[') isInClass = true;
      else if (char === ']') isInClass = false;
      else if (char === '/' && !isInClass) return this.add(form, start, at + 1);
    }
    this.unclosedUntil.set(form, this.endOfLine(start));
    return start + 1;
  }

  private mayBeginExpression(start: number): boolean {
    let before = start - 1;
    while (before >= 0 && SPACE.test(this.text.charAt(before))) before -= 1;
    const char = this.text.charAt(before);
    if (char === '' || '(,=:[!&|?{;+-*%^~'.includes(char)) return true;
    if (char === '>') return this.text.charAt(before - 1) === '=';
    return BEFORE_EXPRESSION.test(this.text.slice(Math.max(0, before - 10), before + 1));
  }

  private takeHeredoc(form: Delimiters, start: number, opened: string): number {
    const from = start + opened.length;
    const body = this.endOfLine(from);
    if (this.missedHeredocs > MAX_HEREDOCS) return from;
    const end = new RegExp(`^[ \\t]*${opened.replaceAll(/\W/g, '')}\\b`, 'gm');
    end.lastIndex = body;
    const match = end.exec(this.text);
    if (match) return this.add(form, body, match.index + match[0].length);
    this.missedHeredocs += 1;
    return from;
  }

  /** Skips the markup outside of PHP tags. */
  private skipPage(from: number): number {
    const open = this.text.indexOf('<?', from);
    return this.add(COMMENT, from, open < 0 ? this.text.length : open + (this.text.startsWith('<?php', open) ? 5 : 2));
  }
}

const COMMENT = { kind: 'comment' } as const;
const STRING = { kind: 'string' } as const;
const BACKSLASH = 92;
const BACKTICK = 96;
const DOLLAR = 36;
const BRACE = 123;
const SPACE = /\s/;

/** Returns the offset after the closing delimiter; null when unclosed. */
function findEnd(text: string, from: number, close: string, { escapes, isInLine, doubles }: Delimiters): number | null {
  if (!escapes && !isInLine && !doubles) {
    const at = text.indexOf(close, from);
    return at < 0 ? null : at + close.length;
  }
  const first = close.charCodeAt(0);
  for (let at = from; at < text.length; at += 1) {
    const char = text.charCodeAt(at);
    if (escapes && char === BACKSLASH) at += 1;
    else if (isInLine && char === 10) return null;
    else if (char === first && text.startsWith(close, at)) {
      if (!doubles || text[at + 1] !== close) return at + close.length;
      at += 1;
    }
  }
  return null;
}

function findNestedEnd(text: string, from: number): number | null {
  const edges = /\/\*|\*\//g;
  edges.lastIndex = from;
  let depth = 1;
  for (let edge = edges.exec(text); edge; edge = edges.exec(text)) {
    depth += edge[0] === '/*' ? 1 : -1;
    if (depth === 0) return edge.index + 2;
  }
  return null;
}
