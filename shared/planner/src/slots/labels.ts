import type { Field } from './schema.ts';
import { stem } from '../text/stems.ts';
import { sensesOf } from '../text/tokens.ts';

const UNITS: ReadonlySet<string> = new Set('mb gb kb ms bytes seconds minutes hours to since'.split(' '));

/** Whether a word names the field: mem and memory, env and environment. */
export function isLabelOf(word: string, { name }: Pick<Field, 'name'>): boolean {
  const [meant] = sensesOf(word);
  return labelOf(name).some((part) => {
    if (UNITS.has(part)) return false;
    const [own] = sensesOf(part);
    return stem(part) === stem(word) || (meant?.share === 1 && own?.share === 1 && own.meaning === meant.meaning);
  });
}

/** `sshPort` → ssh, port. */
export function labelOf(name: string): readonly string[] {
  return name
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[ _]/);
}
