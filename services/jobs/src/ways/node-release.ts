import { parseJson } from '@signalbox/contracts/system-error';
import { intersects, satisfies, validRange } from 'semver';
import { z } from 'zod';
import { quoteShellWord } from '../drivers/quote-shell-word.ts';

/** The folder of a build in which a Node of its own lies. */
const FOLDER = '.node';
/** Each line of Node with the newest npm that runs on it; null where that is the npm of this machine. */
const LINES: readonly (readonly [major: number, npm: string | null])[] = [
  ...[24, 22, 20].map((major) => [major, null] as const),
  [18, 'npm@10'],
  [16, 'npm@9'],
  [14, 'npm@9'],
  [12, 'npm@6'],
  [10, 'npm@6'],
];
const Manifest = z.object({ engines: z.object({ node: z.string().max(100) }) });

type Commands = readonly (readonly string[])[];

/** Builds and starts a program with the Node that it wants. */
export interface NodeRelease {
  build(steps: Commands): Commands;
  start(words: readonly string[]): readonly string[];
}

/** Finds the Node that the `engines` of a package.json want instead of `here`; null when `here` is one of them. Pure. */
export function findNodeRelease(packageJson: string | null, here: string): NodeRelease | null {
  const wanted = Manifest.safeParse(parseJson(packageJson ?? '')).data?.engines.node ?? '';
  if (wanted === '' || validRange(wanted) === null || satisfies(here, wanted)) return null;
  const line = LINES.find(([major]) => intersects(`${major}.x`, wanted));
  if (line === undefined) return null;
  const packages = [`node@${wanted}`, line[1]].filter((one) => one !== null);
  return {
    build: (steps) => [
      ['npm', 'install', '--no-save', '--prefix', FOLDER, ...packages],
      ...steps.map((words) => addToPath(words)),
    ],
    start: addToPath,
  };
}

function addToPath(words: readonly string[]): readonly string[] {
  const [shell, option, line, ...others] = words;
  const isLine = shell === '/bin/sh' && option === '-c' && line !== undefined && others.length === 0;
  const command = isLine ? line : `exec ${words.map(toShellWord).join(' ')}`;
  return ['/bin/sh', '-c', `PATH="$PWD/${FOLDER}/node_modules/.bin:$PATH"; ${command}`];
}

/** People read the line on a card, so only words that need quotes get them. */
function toShellWord(word: string): string {
  return /^[\w./:@=-]+$/.test(word) ? word : quoteShellWord(word);
}
