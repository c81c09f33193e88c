import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { moveSource, type Move } from './moved-source.ts';
import type { ScaffoldFile } from './scaffold.ts';

/** A spelling of the template's name and its replacement. */
export type Spelling = readonly [template: string, name: string];

/** Copies a template's files to new paths, replacing every spelling of its name. */
export function copyTemplate(
  checkout: string,
  moves: readonly Move[],
  spellings: readonly Spelling[],
): readonly ScaffoldFile[] {
  return moves.map((move) => {
    const text = moveSource(readFileSync(join(checkout, move.from), 'utf8'), move, moves);
    return { path: move.to, text: spellings.reduce((so, [from, to]) => so.replaceAll(from, to), text) };
  });
}

/** Inserts lines below the only matching line; null when none or several match. */
export function insertBelow(text: string, line: RegExp, added: string): string | null {
  const lines = text.split('\n');
  const places = lines.flatMap((one, place) => (line.test(one) ? [place] : []));
  const [place] = places;
  return place === undefined || places.length > 1 ? null : lines.toSpliced(place + 1, 0, added).join('\n');
}

/** Capitalizes a word: `wire` to `Wire`. */
export function capitalize(word: string): string {
  return `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
}
