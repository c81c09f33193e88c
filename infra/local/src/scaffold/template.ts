import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { rewriteImports, type FileCopy } from './moved-source.ts';
import type { ScaffoldFile } from './scaffold.ts';

/** A spelling of the template's name, such as `ECHO`, and its replacement. */
export type NameReplacement = readonly [template: string, name: string];

/** Copies a template's files to new paths, replacing every spelling of its name. */
export function copyTemplate(
  checkout: string,
  moves: readonly FileCopy[],
  spellings: readonly NameReplacement[],
): readonly ScaffoldFile[] {
  return moves.map((move) => {
    const text = rewriteImports(readFileSync(join(checkout, move.from), 'utf8'), move, moves);
    return { path: move.to, text: spellings.reduce((so, [from, to]) => so.replaceAll(from, to), text) };
  });
}

/** Inserts text below the only line that matches. Returns null when no line or several lines match. */
export function insertBelow(text: string, line: RegExp, added: string): string | null {
  const lines = text.split('\n');
  const places = lines.flatMap((one, place) => (line.test(one) ? [place] : []));
  const [place] = places;
  return place === undefined || places.length > 1 ? null : lines.toSpliced(place + 1, 0, added).join('\n');
}

/** Makes the first letter of a word upper case: `wire` becomes `Wire`. */
export function capitalize(word: string): string {
  return `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
}
