import { fileURLToPath } from 'node:url';
import { drawSample } from './sample.ts';
import { readSources } from './sources.ts';
import { countLines, findTies, isProduct, sumLines } from './weight.ts';

// `npm run measure`: lines by package and folders that import each other; `npm run measure -- sample SEED`: what a new reader is shown.

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

const [command, seed] = process.argv.slice(2);
if (command === 'sample') {
  if (!seed) throw new Error('Give a seed: npm run measure -- sample 20261127');
  for (const line of drawSample(ROOT, seed)) process.stdout.write(`${line}\n`);
} else {
  const files = readSources(ROOT).filter(isProduct);
  const lines = countLines(ROOT);
  for (const [name, count] of lines) {
    const ties = findTies(files.filter(({ path }) => path.startsWith(`${name}/`)));
    process.stdout.write(`${name.padEnd(28)}${String(count).padStart(8)} lines  ${ties.length} ties\n`);
    for (const tie of ties) process.stdout.write(`    ${tie}\n`);
  }
  process.stdout.write(`${'without simulators, planner'.padEnd(28)}${String(sumLines(lines)).padStart(8)} lines\n`);
}
