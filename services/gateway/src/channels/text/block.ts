/** A text style. Neighboring spans belong together when they share the same object. */
export type Style =
  | { readonly type: 'bold' | 'italic' | 'strikethrough' | 'code' }
  /** Only receipts are underlined: no markdown becomes this style. */
  | { readonly type: 'underline' }
  /** A link to an address that a browser opens. */
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
  /** The state of the item's checkbox; null when it has none. */
  readonly checked: boolean | null;
  readonly blocks: readonly Block[];
}

export type Align = 'left' | 'center' | 'right' | null;

export interface Table {
  readonly type: 'table';
  readonly aligns: readonly Align[];
  /** The first row is the header. */
  readonly rows: readonly (readonly InlineText[])[];
}

/** A message as a tree, independent of the channel. A model's markdown can become nothing else: no buttons, media or mentions. */
export type Block =
  | { readonly type: 'paragraph'; readonly text: InlineText }
  | { readonly type: 'heading'; readonly size: 1 | 2 | 3 | 4 | 5 | 6; readonly text: InlineText }
  | { readonly type: 'code'; readonly text: string; readonly language: string | null }
  | { readonly type: 'quote'; readonly blocks: readonly Block[] }
  | { readonly type: 'list'; readonly items: readonly ListItem[] }
  | { readonly type: 'divider' }
  | Table;

export function toPlainSpan(text: string): InlineText {
  return text === '' ? [] : [{ text, styles: [] }];
}

export function getText(spans: InlineText): string {
  return spans.map((span) => span.text).join('');
}

/** The mark before a list item: a number, a check box or a bullet. */
export function getItemLabel({ number, checked }: ListItem): string {
  const box = checked === true ? '☑ ' : '☐ ';
  if (number !== null) return `${number}. ${checked === null ? '' : box}`;
  return checked === null ? '• ' : box;
}

export interface SpanGroup {
  /** The style that the spans share at the level; null when they have none. */
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
