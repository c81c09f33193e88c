/** How text is shown. Neighbors that share a style belong together when they hold the very same object. */
export type Style =
  | { readonly type: 'bold' | 'italic' | 'strikethrough' | 'code' }
  /** Of receipts alone: no markdown becomes this. */
  | { readonly type: 'underline' }
  /** Only addresses that a browser opens. */
  | { readonly type: 'url'; readonly url: string };

/** A stretch of text with its styles, from the outermost to the innermost. */
export interface Span {
  readonly text: string;
  readonly styles: readonly Style[];
}

export type InlineText = readonly Span[];

export interface ListItem {
  /** Its number in an ordered list; null for a bullet. */
  readonly number: number | null;
  /** Whether its box is ticked; null without a box. */
  readonly checked: boolean | null;
  readonly blocks: readonly Block[];
}

export type Align = 'left' | 'center' | 'right' | null;

export interface Table {
  readonly type: 'table';
  readonly aligns: readonly Align[];
  /** The header row comes first. */
  readonly rows: readonly (readonly InlineText[])[];
}

/**
 * A message as a tree, before Telegram: what a model wrote can become these and nothing else, so it holds no buttons, media
 * or mentions whatever the text says.
 */
export type Block =
  | { readonly type: 'paragraph'; readonly text: InlineText }
  | { readonly type: 'heading'; readonly size: 1 | 2 | 3 | 4 | 5 | 6; readonly text: InlineText }
  | { readonly type: 'code'; readonly text: string; readonly language: string | null }
  | { readonly type: 'quote'; readonly blocks: readonly Block[] }
  | { readonly type: 'list'; readonly items: readonly ListItem[] }
  | { readonly type: 'divider' }
  | Table;

/** Unformatted text. */
export function plainSpan(text: string): InlineText {
  return text === '' ? [] : [{ text, styles: [] }];
}

/** What spans say, without their styles. */
export function textOf(spans: InlineText): string {
  return spans.map((span) => span.text).join('');
}

export interface SpanGroup {
  /** What the spans have in common at this level; null when it is nothing. */
  readonly style: Style | null;
  readonly spans: InlineText;
}

/** Neighbors that share a style at a level (0 is the outermost), in order. */
export function groupSpans(spans: InlineText, level: number): readonly SpanGroup[] {
  const groups: { style: Style | null; spans: Span[] }[] = [];
  for (const span of spans) {
    const style = span.styles[level] ?? null;
    const last = groups.at(-1);
    if (last?.style === style) last.spans.push(span);
    else groups.push({ style, spans: [span] });
  }
  return groups;
}
