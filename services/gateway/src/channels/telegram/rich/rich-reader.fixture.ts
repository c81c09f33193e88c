import type { TelegramPart } from '../send/encode.ts';
import type { RichBlock } from './rich-block.ts';

/** Telegram's documented limits, counted independently of the code under test. */
const LIMITS = { units: 4_096, entities: 100, characters: 32_768, blocks: 500, depth: 16, columns: 20 } as const;

/** The blocks of a rich part; empty for a plain one. */
export function readBlocksOf(part: TelegramPart): readonly RichBlock[] {
  return part.form === 'rich' ? part.blocks : [];
}

/** The visible text of a part, one line per block. */
export function readText(part: TelegramPart): string {
  return part.form === 'text' ? part.text : readStrings(part.blocks).join('\n');
}

/** The words of a part in order, without list and table symbols. */
export function readWords(part: TelegramPart): readonly string[] {
  return readText(part)
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .split(/[\s\u00a0]+/)
    .filter((word) => !/^(?:[•☐☑│─┼———…]*|\d+\.)$/u.test(word));
}

/** Why Telegram would refuse a part; null when it would not. */
export function readProblem(part: TelegramPart): string | null {
  if (!JSON.stringify(part).isWellFormed() || /\\ud[89a-f]/i.test(JSON.stringify(part))) return 'half a character';
  if (!/[^\s\p{Default_Ignorable_Code_Point}]/u.test(readText(part))) return 'nothing to see';
  return part.form === 'text' ? readProblemOfText(part) : readProblemOfBlocks(part.blocks);
}

function readProblemOfText({ text, entities }: Extract<TelegramPart, { form: 'text' }>): string | null {
  if (text.length > LIMITS.units) return `${text.length} units`;
  if (entities.length > LIMITS.entities) return `${entities.length} entities`;
  const bad = entities.find(({ offset, length }) => {
    const covered = text.slice(offset, offset + length);
    return (
      offset < 0 || length <= 0 || offset + length > text.length || covered.trim() === '' || !covered.isWellFormed()
    );
  });
  return bad ? `entity ${JSON.stringify(bad)}` : null;
}

function readProblemOfBlocks(blocks: readonly RichBlock[]): string | null {
  const count = { blocks: 0, depth: 0, columns: 0 };
  const visit = (value: unknown, depth: number, isBlock: boolean): void => {
    if (typeof value !== 'object' || value === null) return;
    if (Array.isArray(value)) return value.forEach((one) => visit(one, depth, isBlock));
    if (isBlock) count.blocks += 1;
    count.depth = Math.max(count.depth, depth);
    for (const [key, inner] of Object.entries(value as Record<string, unknown>)) {
      if (key === 'cells') visitRows(inner as readonly unknown[][], depth);
      else visit(inner, depth + 1, key === 'blocks' || key === 'items');
    }
  };
  const visitRows = (rows: readonly unknown[][], depth: number): void => {
    count.blocks += rows.length;
    for (const cells of rows) {
      count.columns = Math.max(count.columns, cells.length);
      visit(cells, depth + 1, false);
    }
  };
  visit(blocks, 1, true);
  const characters = Buffer.byteLength(readStrings(blocks).join(''));
  if (characters > LIMITS.characters) return `${characters} characters`;
  if (count.blocks > LIMITS.blocks) return `${count.blocks} blocks`;
  if (count.depth > LIMITS.depth) return `${count.depth} levels`;
  return count.columns > LIMITS.columns ? `${count.columns} columns` : null;
}

/** All texts of a block tree in reading order, one per block, item or cell. */
function readStrings(blocks: unknown): readonly string[] {
  if (Array.isArray(blocks)) return blocks.flatMap(readStrings);
  if (typeof blocks !== 'object' || blocks === null) return [];
  const { text, summary, blocks: inner, items, cells } = blocks as Record<string, unknown>;
  return [
    ...(summary === undefined ? [] : [flatten(summary)]),
    ...(text === undefined ? [] : [flatten(text)]),
    ...[inner, items, cells].flatMap(readStrings),
  ];
}

function flatten(text: unknown): string {
  if (typeof text === 'string') return text;
  if (Array.isArray(text)) return text.map(flatten).join('');
  return typeof text === 'object' && text !== null && 'text' in text ? flatten(text.text) : '';
}
