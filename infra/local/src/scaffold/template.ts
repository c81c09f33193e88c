import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { moveSource, type Move } from './moved-source.ts';
import type { ScaffoldFile } from './scaffold.ts';

/** A way in which the template's name is written, and the new name written so. */
export type Spelling = readonly [template: string, name: string];

/** The files of a template at their new places, under the new name. Every spelling is replaced wherever it stands. */
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

/** A text with lines below the only line that matches. Null when none does, or several do. */
export function insertBelow(text: string, line: RegExp, added: string): string | null {
  const lines = text.split('\n');
  const places = lines.flatMap((one, place) => (line.test(one) ? [place] : []));
  const [place] = places;
  return place === undefined || places.length > 1 ? null : lines.toSpliced(place + 1, 0, added).join('\n');
}

/** `wire` as `Wire`. */
export function capitalize(word: string): string {
  return `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
}
