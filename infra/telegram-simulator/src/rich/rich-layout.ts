type Fields = Readonly<Record<string, unknown>>;

/** Gives each item of a list the label that clients show: a bullet, or its number in its style. */
export function labelItems(items: readonly Fields[]): readonly Fields[] {
  const isOrdered = items.some((item) => item['value'] !== undefined || item['type'] !== undefined);
  let next = 1;
  return items.map((item) => {
    if (!isOrdered) return { label: '•', ...item };
    const value = typeof item['value'] === 'number' ? item['value'] : next;
    next = value + 1;
    const type = typeof item['type'] === 'string' ? item['type'] : '1';
    return { label: `${toLabel(value, type)}.`, ...item, value, type };
  });
}

/** The width of a table: cells that span columns or rows take their places in the rows below too. */
export function measureColumns(rows: readonly (readonly Fields[])[]): number {
  let widest = 0;
  // How many more rows each column is taken by a cell from above.
  let taken: number[] = [];
  for (const row of rows) {
    let column = 0;
    const below = taken.map((count) => Math.max(0, count - 1));
    for (const cell of row) {
      while ((taken[column] ?? 0) > 0) column += 1;
      const span = readSpan(cell['colspan']);
      const rowspan = readSpan(cell['rowspan']);
      for (let index = column; index < column + span; index += 1) below[index] = rowspan - 1;
      column += span;
    }
    widest = Math.max(widest, column, taken.filter((count) => count > 0).length);
    taken = Array.from(below, (count) => count ?? 0);
  }
  return widest;
}

/** Larger spans than any table may have must not be laid out. */
function readSpan(value: unknown): number {
  return typeof value === 'number' ? Math.min(Math.max(value, 1), 1_000) : 1;
}

function toLabel(value: number, type: string): string {
  if (value < 1 || type === '1') return String(value);
  const text = type.toLowerCase() === 'a' ? toLetters(value) : toRoman(value);
  return type === type.toLowerCase() ? text : text.toUpperCase();
}

/** a … z, aa, ab, … */
function toLetters(value: number): string {
  let text = '';
  for (let rest = value; rest > 0; rest = Math.floor((rest - 1) / 26)) {
    text = String.fromCharCode(97 + ((rest - 1) % 26)) + text;
  }
  return text;
}

const ROMAN: readonly (readonly [number, string])[] = [
  [1000, 'm'],
  [900, 'cm'],
  [500, 'd'],
  [400, 'cd'],
  [100, 'c'],
  [90, 'xc'],
  [50, 'l'],
  [40, 'xl'],
  [10, 'x'],
  [9, 'ix'],
  [5, 'v'],
  [4, 'iv'],
  [1, 'i'],
];

function toRoman(value: number): string {
  if (value > 3_999) return String(value);
  let rest = value;
  let text = '';
  for (const [amount, letters] of ROMAN) {
    while (rest >= amount) {
      text += letters;
      rest -= amount;
    }
  }
  return text;
}
