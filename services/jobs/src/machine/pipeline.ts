import { PassThrough } from 'node:stream';
import type { CommandResult, Driver, ExecuteOptions } from '../drivers/driver.ts';

/** The reason for ending a program whose reader has exited. */
const UNREAD = new Error('nobody reads what it writes');
const NOTHING: CommandResult = { code: null, stdout: '', stderr: '', truncated: false };

/**
 * Runs programs joined by our own pipes, each by itself and without a shell. The code is the last one's; what any of them complained
 * about is kept. With `output` the last one writes there, to the end, and the result has none of it. Whoever writes to a program that has ended is ended too, as by SIGPIPE in a shell. Settles when all have ended;
 * throws what the first of them threw.
 */
export async function executePipeline(
  driver: Pick<Driver, 'execute'>,
  pipeline: readonly (readonly string[])[],
  { signal, maxBytes, output: last }: Pick<ExecuteOptions, 'signal' | 'maxBytes' | 'output'>,
): Promise<CommandResult> {
  const pipes = pipeline.slice(1).map(() => new PassThrough());
  const ends = pipeline.map(() => new AbortController());
  const failed: unknown[] = [];
  const runs = pipeline.map(async (argv, place) => {
    const [input, output] = [pipes[place - 1], pipes[place] ?? last];
    const end = ends[place] as AbortController; // one for each program
    try {
      return await driver.execute(argv, {
        signal: AbortSignal.any([signal, end.signal]),
        maxBytes,
        ...(input ? { input } : {}),
        ...(output ? { output } : {}),
      });
    } catch (error) {
      if (error !== UNREAD) failed.push(error);
      if (error !== UNREAD) for (const one of ends) one.abort(error); // half a pipeline is none
      return NOTHING;
    } finally {
      output?.end();
      // Without a reader the output is drained, so that nothing waits for it.
      input?.unpipe();
      input?.resume();
      // A program that closed its output is about to exit, and its exit is reported.
      if (!pipes[place - 1]?.writableEnded) ends[place - 1]?.abort(UNREAD);
    }
  });
  const results = await Promise.all(runs);
  if (failed.length > 0) throw failed[0];
  const complaints = results.map(({ stderr }) => stderr).join('');
  return {
    ...(results.at(-1) ?? NOTHING),
    stderr: complaints.slice(0, maxBytes),
    truncated: results.some(({ truncated }) => truncated) || complaints.length > maxBytes,
  };
}
