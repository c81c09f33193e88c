export interface Passage {
  /** Headings above the passage, outermost first: `Policy › Time windows`. Empty before the first heading. */
  readonly heading: string;
  readonly content: string;
}

/** Maximum of characters: several passages fit into a prompt, and one into a message. */
const MAX_PASSAGE_LENGTH = 2_000;

/** Splits markdown at its headings, and longer sections at paragraphs, so that no passage exceeds 2,000 characters. */
export function splitMarkdown(text: string): readonly Passage[] {
  const passages: Passage[] = [];
  const path: string[] = [];
  let blocks: string[] = [];
  let block: string[] = [];
  let fence: string | null = null;
  const endBlock = (): void => {
    if (block.length > 0) blocks.push(withoutTable(block).join('\n'));
    block = [];
  };
  const endSection = (): void => {
    endBlock();
    const heading = path.filter((part) => part !== '').join(' › ');
    for (const content of packBlocks(blocks)) passages.push({ heading, content });
    blocks = [];
  };
  for (const line of withoutFrontMatter(text).split(/\r?\n/)) {
    fence = nextFence(fence, line);
    const heading = fence === null ? /^ {0,3}(#{1,6})[ \t](.*)$/.exec(line) : null;
    if (heading) {
      endSection();
      const level = heading[1]?.length ?? 1;
      path.length = Math.min(path.length, level - 1);
      while (path.length < level - 1) path.push('');
      path.push((heading[2] ?? '').replace(/^[ \t]+|(?<![ \t#])[ \t#]+$/g, ''));
    } else if (fence === null && line.trim() === '') endBlock();
    else block.push(line);
  }
  endSection();
  return passages;
}

/** Converts a table to a list: search results are quoted in messages, which show no tables. */
function withoutTable(block: readonly string[]): readonly string[] {
  const isRow = (line: string): boolean => /^ {0,3}\|.*\|\s*$/.test(line);
  const [head = '', rule = ''] = block;
  if (!isRow(head) || !/^ {0,3}\|(?=[\s:|]*-)[\s:|-]*\|\s*$/.test(rule)) return block;
  const cells = (line: string): readonly string[] =>
    line
      .trim()
      .slice(1, -1)
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim())
      .filter((cell) => cell !== '');
  const items = block.slice(2).map((line) => {
    if (!isRow(line)) return line;
    const [first = '', ...others] = cells(line);
    return others.length === 0 ? `- ${first}` : `- ${first}: ${others.join(' · ')}`;
  });
  const titles = cells(head).join(' · ');
  return [...(titles === '' ? [] : [`${titles}:`, '']), ...items];
}

/** Returns the code fence that is open after this line, because headings inside code are code. */
function nextFence(open: string | null, line: string): string | null {
  const marker = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
  if (marker === undefined) return open;
  if (open === null) return marker;
  return marker.startsWith(open) && line.trim() === marker ? null : open;
}

/** Fills passages with whole blocks; cuts a longer block at line ends if possible. */
function packBlocks(blocks: readonly string[]): readonly string[] {
  const packed: string[] = [];
  let current = '';
  const pieces = blocks.flatMap((block) => (block.length <= MAX_PASSAGE_LENGTH ? [block] : cut(block)));
  for (const piece of pieces) {
    if (current !== '' && current.length + 2 + piece.length > MAX_PASSAGE_LENGTH) {
      packed.push(current);
      current = '';
    }
    current = current === '' ? piece : `${current}\n\n${piece}`;
  }
  if (current.trim() !== '') packed.push(current);
  return packed;
}

function cut(block: string): readonly string[] {
  const pieces: string[] = [];
  let rest = block;
  while (rest.length > MAX_PASSAGE_LENGTH) {
    const ends = [
      rest.lastIndexOf('\n', MAX_PASSAGE_LENGTH),
      rest.lastIndexOf(' ', MAX_PASSAGE_LENGTH),
      MAX_PASSAGE_LENGTH,
    ];
    const at = ends.find((end) => end > 0) ?? MAX_PASSAGE_LENGTH;
    pieces.push(rest.slice(0, at));
    rest = rest.slice(at).trimStart();
  }
  if (rest !== '') pieces.push(rest);
  return pieces;
}

function withoutFrontMatter(text: string): string {
  return text.replace(/^\uFEFF/, '').replace(/^---\r?\n[\s\S]*?\r?\n---\r?\n/, '');
}
