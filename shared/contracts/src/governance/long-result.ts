import { hasOutside, isOutsideText, wrapOutside } from './outside.ts';

/*
 * Cuts long results of tools at whole rows. A row is an item of a list or a line of a long text. The rest is read with the handle of the
 * result (`res_12`, or `res_12.lines` for another list of it). Envelopes stay around what came from outside.
 */

/** The most tokens of a result that a model reads at once, by `estimateTokens`. */
export const MAX_RESULT_TOKENS = 1_800;

/** Texts up to this length are never cut, in characters. */
const SHORT_TEXT = 400;
/** A longer line or item is split, so that each row fits. */
const MAX_ROW_LENGTH = 2_000;
/** The least that a shortened list may take, in tokens. */
const MIN_SHARE = 100;

/** What a cut result leaves out. */
export interface CutRows {
  readonly field: string;
  /** Such as `1 to 40 of 200`. */
  readonly rows: string;
  readonly handle: string;
}

export interface CutResult {
  readonly result: unknown;
  readonly more: readonly CutRows[];
}

type Path = readonly (string | number)[];
interface Rows {
  readonly path: Path;
  readonly rows: readonly unknown[];
  /** True for the lines of a text. */
  readonly isText: boolean;
  readonly isOutside: boolean;
  readonly tokens: number;
}

/** Cuts a result to `MAX_RESULT_TOKENS`; null when it fits. `newest`: where the newest rows are, which are kept. Pure. */
export function cutLongResult(
  result: unknown,
  { handle, newest = 'first' }: { readonly handle: string; readonly newest?: 'first' | 'last' | undefined },
): CutResult | null {
  const whole = estimateTokens(toJson(result));
  if (whole <= MAX_RESULT_TOKENS) return null;
  const lists = listRows(result).toSorted((a, b) => a.tokens - b.tokens);
  let room = MAX_RESULT_TOKENS - (whole - lists.reduce((sum, { tokens }) => sum + tokens, 0));
  let cut = result;
  const more: CutRows[] = [];
  lists.forEach((list, place) => {
    const share = Math.max(MIN_SHARE, Math.floor(room / (lists.length - place)));
    if (list.tokens <= share) {
      room -= list.tokens;
      return;
    }
    const [from, to] =
      newest === 'last' ? takeBefore(list.rows, list.rows.length, share) : takeFrom(list.rows, 0, share);
    room -= share;
    cut = put(cut, list.path, join(list, from, to));
    const name = nameOf(list);
    const own = place === lists.length - 1 ? handle : `${handle}.${name}`;
    more.push({ field: name, rows: `${from + 1} to ${to} of ${list.rows.length}`, handle: own });
  });
  return more.length === 0 ? null : { result: cut, more: more.toReversed() };
}

/** Reads rows of a whole result, from the row `from` (from 1). `field`: which list; the longest when null. Null when there is none. Pure. */
export function readRows(result: unknown, field: string | null, from: number): unknown {
  if (field === null && from === 1 && estimateTokens(toJson(result)) <= MAX_RESULT_TOKENS) return result;
  const lists = listRows(result);
  const list =
    field === null ? lists.toSorted((a, b) => a.tokens - b.tokens).at(-1) : lists.find((one) => nameOf(one) === field);
  if (!list) return null;
  const begin = Math.min(from - 1, list.rows.length);
  const [start, end] = takeFrom(list.rows, begin, MAX_RESULT_TOKENS - MIN_SHARE);
  const rows = join(list, start, end);
  return {
    field: nameOf(list),
    rows: `${start + 1} to ${end} of ${list.rows.length}`,
    ...(end < list.rows.length ? { next_from: end + 1 } : {}),
    content: list.isOutside && !hasOutside(rows) ? wrapOutside('read_result', rows) : rows,
  };
}

/** Estimates the o200k tokens of a text from above, except for rare scripts. Pure. */
export function estimateTokens(text: string): number {
  let sum = 0;
  for (const [run] of text.matchAll(/[A-Za-z0-9]+|\s+|[^\sA-Za-z0-9]/gu)) sum += costOf(run);
  return Math.ceil(sum);
}

function costOf(run: string): number {
  if (/^\s/.test(run)) return run.includes('\n') ? 1 : 0.25;
  if (/^[A-Z]?[a-z]+$/.test(run)) return Math.max(1, run.length / 4);
  if (/^\d+$/.test(run)) return Math.ceil(run.length / 3);
  if (/^[A-Za-z0-9]/.test(run)) return Math.max(1, run.length * 0.75);
  if (/^[!-~]$/.test(run)) return 0.8;
  return /^\p{Script=Cyrillic}|\p{Script=Latin}$/u.test(run) ? 0.6 : run.length * 1.5;
}

/** Lists the lists and long texts of a result, outermost first. */
function listRows(value: unknown, path: Path = [], isOutside = false): readonly Rows[] {
  const found = (rows: readonly unknown[], isText: boolean): readonly Rows[] => {
    const split = rows.flatMap((row) => splitRow(row, isText));
    return [{ path, rows: split, isText, isOutside, tokens: estimateTokens(toJson(isText ? value : split)) }];
  };
  if (typeof value === 'string') return value.length > SHORT_TEXT ? found(value.split('\n'), true) : [];
  if (Array.isArray(value)) return value.length > 0 ? found(value, false) : [];
  if (typeof value !== 'object' || value === null) return [];
  const inside = isOutside || isOutsideText(value);
  return Object.entries(value).flatMap(([name, member]) => listRows(member, [...path, name], inside));
}

/** Splits a row that is too long to be one. An item's text stands in an envelope if anything of it did. */
function splitRow(row: unknown, isText: boolean): readonly unknown[] {
  const text = isText ? String(row) : toJson(row);
  if (text.length <= MAX_ROW_LENGTH) return [row];
  const parts = text.match(new RegExp(`[^]{1,${MAX_ROW_LENGTH}}`, 'gu')) ?? [];
  return isText || !hasOutside(row) ? parts : parts.map((part) => wrapOutside('row', part));
}

function takeFrom(rows: readonly unknown[], from: number, room: number): readonly [number, number] {
  let left = room;
  let to = from;
  while (to < rows.length && (left -= tokensOf(rows[to])) >= 0) to += 1;
  return [from, rows.length > from ? Math.max(to, from + 1) : to];
}

function takeBefore(rows: readonly unknown[], to: number, room: number): readonly [number, number] {
  let left = room;
  let from = to;
  while (from > 0 && (left -= tokensOf(rows[from - 1])) >= 0) from -= 1;
  return [to > 0 ? Math.min(from, to - 1) : from, to];
}

function tokensOf(row: unknown): number {
  return estimateTokens(toJson(row)) + 1;
}

function join({ rows, isText }: Rows, from: number, to: number): unknown {
  const taken = rows.slice(from, to);
  return isText ? taken.join('\n') : taken;
}

function put(value: unknown, [name, ...rest]: Path, given: unknown): unknown {
  if (name === undefined) return given;
  const fields = value as Readonly<Record<string, unknown>>; // listRows walked the same objects
  return { ...fields, [name]: put(fields[name], rest, given) };
}

/** The name of a list: the field around its envelope, if it is in one. */
function nameOf({ path, isOutside }: Rows): string {
  const names = isOutside && path.at(-1) === 'text' ? path.slice(0, -1) : path;
  return names.length === 0 ? 'result' : names.join('.');
}

function toJson(value: unknown): string {
  return JSON.stringify(value) ?? 'null';
}
