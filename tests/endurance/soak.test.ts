import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { loadTestConfig } from '../support/config.ts';
import { describeReport, soak } from './soak/soak.ts';

const { soakSeed, dataDir } = loadTestConfig();
const seed = soakSeed ?? Date.now() % 1_000_000;

it(`60 people are answered right, once, while everything breaks for 3 minutes (seed ${seed})`, async () => {
  const say = (line: string): void => console.log(line);
  const dir = join(dataDir, 'soak', `${seed}-${process.pid}`);
  const report = await soak({ minutes: 3, people: 60, seed, dir, say });
  for (const line of describeReport(report)) say(line);
  expect(report.wrong).toEqual([]);
  expect(Object.keys(report.messages).toSorted()).toEqual(['ingress', 'telegram', 'web', 'whatsapp']);
  expect(Object.values(report.messages).reduce((sum, count) => sum + count, 0)).toBeGreaterThan(60);
  expect(Object.keys(report.faults).length).toBeGreaterThan(8);
  // What was wrong is looked for in the logs.
  rmSync(dir, { recursive: true, force: true });
}, 1_200_000);
