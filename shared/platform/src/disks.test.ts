import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { expect, it } from 'vitest';
import { readDisks } from './disks.ts';

it('a disk is as full as df says, also where blocks are kept for others', async () => {
  const { place = { free: NaN, size: NaN } } = await readDisks({ place: tmpdir() });
  const printed = execFileSync('df', ['-Pk', tmpdir()], { encoding: 'utf8' });
  const [, used, free] = /\s\d+\s+(\d+)\s+(\d+)\s+\d+%/.exec(printed) ?? [];
  expect(1 - place.free / place.size).toBeCloseTo(Number(used) / (Number(used) + Number(free)), 2);
});
