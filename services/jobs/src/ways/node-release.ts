import { findWantedLine } from '@signalbox/analysis/analyzers/dependencies/node-line';
import { parseJson } from '@signalbox/contracts/system-error';
import { z } from 'zod';
import { quoteShellWord } from '../drivers/quote-shell-word.ts';

/** The folder of a build in which a Node of its own lies. */
const FOLDER = '.node';
/** Lines of Node, each with the newest npm that runs on it; null where that is the npm of this machine. */
const LINES: ReadonlyMap<number, string | null> = new Map([
  [24, null],
  [22, null],
  [20, null],
  [18, 'npm@10'],
  [16, 'npm@9'],
  [14, 'npm@9'],
  [12, 'npm@6'],
  [10, 'npm@6'],
]);
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
  const line = wanted === '' ? null : findWantedLine(wanted, here, [...LINES.keys()]);
  if (line === null) return null;
  const packages = [`node@${wanted}`, LINES.get(line)].filter((one) => typeof one === 'string');
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
