import { once } from 'node:events';
import { Readable, Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { expect, it } from 'vitest';
import type { Driver } from '../drivers/driver.ts';
import { executePipeline } from './pipeline.ts';

const RESULT = { code: 0, stdout: '', stderr: '', truncated: false };

/** The first program writes a megabyte; the second ends at the first bytes, and the end of what it reads from is seen only later. */
const execute: Driver['execute'] = async (_argv, { input, output }) => {
  if (output) {
    Readable.from(Array.from({ length: 64 }, () => Buffer.alloc(16_384))).pipe(output);
    await finished(output, { readable: false });
    return RESULT;
  }
  const door = new Writable({ highWaterMark: 1, write: () => undefined });
  door.on('error', () => undefined);
  input?.pipe(door);
  if (input) await once(input, 'data');
  setTimeout(() => door.destroy(), 20);
  return RESULT;
};

it('a pipeline ends without waiting for a writing program whose reader has ended', async () => {
  const options = { signal: AbortSignal.timeout(10_000), maxBytes: 100 };
  expect(await executePipeline({ execute }, [['writes'], ['reads a little']], options)).toMatchObject(RESULT);
}, 5_000);
