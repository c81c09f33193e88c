import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { loadTestConfig } from '../../support/config.ts';
import { describeReport, soak } from './soak.ts';

// npm run soak -- --minutes 10 --people 200 --seed 1: exits with 1 when anything was wrong. The folder of the run stays.

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    people: { type: 'string', default: '200' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});
const seed = Number(values.seed);
const dir = join(loadTestConfig().dataDir, 'soak', `${seed}-${process.pid}`);
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const report = await soak({ minutes: Number(values.minutes), people: Number(values.people), seed, dir, say });
for (const line of describeReport(report)) say(line);
process.exit(report.wrong.length === 0 ? 0 : 1);
