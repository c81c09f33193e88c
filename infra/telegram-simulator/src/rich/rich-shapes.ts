/** What a field of a rich text or block holds; `?` at the end means it may be missing. */
export type FieldKind =
  | 'text'
  | 'blocks'
  | 'items'
  | 'cells'
  | 'button'
  | 'buttons'
  | 'string'
  | 'counted'
  | 'url'
  | 'integer'
  | 'true'
  | 'user'
  | 'size'
  | 'align'
  | 'valign'
  | 'number style';
type Shape = Readonly<Record<string, FieldKind | `${FieldKind}?`>>;

const TEXT: Shape = { text: 'text' };

/** The objects that may stand in a rich text, by type. */
export const TEXT_SHAPES: Readonly<Record<string, Shape>> = {
  bold: TEXT,
  italic: TEXT,
  underline: TEXT,
  strikethrough: TEXT,
  spoiler: TEXT,
  subscript: TEXT,
  superscript: TEXT,
  marked: TEXT,
  code: TEXT,
  date_time: { text: 'text', unix_time: 'integer', date_time_format: 'string' },
  text_mention: { text: 'text', user: 'user' },
  custom_emoji: { custom_emoji_id: 'string', alternative_text: 'counted' },
  mathematical_expression: { expression: 'counted' },
  url: { text: 'text', url: 'url' },
  email_address: { text: 'text', email_address: 'string' },
  phone_number: { text: 'text', phone_number: 'string' },
  bank_card_number: { text: 'text', bank_card_number: 'string' },
  mention: { text: 'text', username: 'string' },
  hashtag: { text: 'text', hashtag: 'string' },
  cashtag: { text: 'text', cashtag: 'string' },
  bot_command: { text: 'text', bot_command: 'string' },
  button: { button: 'button' },
  anchor: { name: 'string' },
  anchor_link: { text: 'text', anchor_name: 'string' },
  reference: { text: 'text', name: 'string' },
  reference_link: { text: 'text', reference_name: 'string' },
};

/** Blocks by type. Media and maps are not among them: nothing here could show one. */
export const BLOCK_SHAPES: Readonly<Record<string, Shape>> = {
  paragraph: TEXT,
  heading: { text: 'text', size: 'size' },
  pre: { text: 'text', language: 'string?' },
  footer: TEXT,
  divider: {},
  mathematical_expression: { expression: 'counted' },
  anchor: { name: 'string' },
  list: { items: 'items' },
  blockquote: { blocks: 'blocks', credit: 'text?' },
  expandable_blockquote: { text: 'text', credit: 'text?' },
  pullquote: { text: 'text', credit: 'text?' },
  table: { cells: 'cells', is_bordered: 'true?', is_striped: 'true?', is_compact: 'true?', caption: 'text?' },
  details: { summary: 'text', blocks: 'blocks', is_open: 'true?' },
  buttons: { buttons: 'buttons', align: 'align?' },
  thinking: TEXT,
};

export const ITEM_SHAPE: Shape = {
  blocks: 'blocks',
  has_checkbox: 'true?',
  is_checked: 'true?',
  value: 'integer?',
  type: 'number style?',
};

export const CELL_SHAPE: Shape = {
  text: 'text?',
  is_header: 'true?',
  colspan: 'integer?',
  rowspan: 'integer?',
  align: 'align',
  valign: 'valign',
};

/** Blocks that Telegram knows and the simulator refuses. */
export const MEDIA_BLOCKS = new Set([
  'collage',
  'slideshow',
  'map',
  'animation',
  'audio',
  'document',
  'photo',
  'video',
  'voice_note',
]);
