/** A text style. Neighboring spans belong together when they share the same object. */
export type Style =
  | { readonly type: 'bold' | 'italic' | 'strikethrough' | 'code' }
  /** Only for receipts: no markdown becomes underlined. */
  | { readonly type: 'underline' }
  /** Only addresses that a browser opens. */
  | { readonly type: 'url'; readonly url: string };

/** A text with its styles, outermost first. */
export interface Span {
  readonly text: string;
  readonly styles: readonly Style[];
}

export type InlineText = readonly Span[];

export interface ListItem {
  /** The number in an ordered list; null for a bullet. */
  readonly number: number | null;
  /** The state of its checkbox; null without one. */
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

/** A message as a tree, independent of the channel. Markdown of a model can only become these blocks, never buttons, media or mentions. */
export type Block =
  | { readonly type: 'paragraph'; readonly text: InlineText }
  | { readonly type: 'heading'; readonly size: 1 | 2 | 3 | 4 | 5 | 6; readonly text: InlineText }
  | { readonly type: 'code'; readonly text: string; readonly language: string | null }
  | { readonly type: 'quote'; readonly blocks: readonly Block[] }
  | { readonly type: 'list'; readonly items: readonly ListItem[] }
  | { readonly type: 'divider' }
  | Table;

/** Unformatted text. */
export function toPlainSpan(text: string): InlineText {
  return text === '' ? [] : [{ text, styles: [] }];
}

/** The text of spans without their styles. */
export function getText(spans: InlineText): string {
  return spans.map((span) => span.text).join('');
}

export interface SpanGroup {
  /** The common style at this level; null for none. */
  readonly style: Style | null;
  readonly spans: InlineText;
}

/** Groups neighboring spans by their style at a level (0 is outermost), in order. */
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
