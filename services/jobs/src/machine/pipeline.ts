import { PassThrough } from 'node:stream';
import type { CommandResult, Driver, ExecuteOptions } from '../drivers/driver.ts';

/** Abort reason for a program whose reader has exited. */
const UNREAD = new Error('nobody reads what it writes');
const NOTHING: CommandResult = { code: null, stdout: '', stderr: '', truncated: false };

/**
 * Runs programs connected by pipes, each without a shell. Returns the last program's exit code and the stderr of all. With `output` the
 * last stdout goes there instead of the result. A program whose reader has exited is ended, as by SIGPIPE. Settles when all programs have
 * ended; throws the first error.
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
    const end = ends[place] as AbortController; // There is one controller per program.
    try {
      return await driver.execute(argv, {
        signal: AbortSignal.any([signal, end.signal]),
        maxBytes,
        ...(input ? { input } : {}),
        ...(output ? { output } : {}),
      });
    } catch (error) {
      if (error !== UNREAD) failed.push(error);
      if (error !== UNREAD) for (const one of ends) one.abort(error); // One failed program ends the whole pipeline.
      return NOTHING;
    } finally {
      output?.end();
      // Without a reader the input is drained, so that its writer does not wait.
      input?.unpipe();
      input?.resume();
      // A program that closed its output is about to exit, and reports its own exit code.
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
