import { MIB } from '@signalbox/contracts/size';
import { Writable } from 'node:stream';
import { MINUTE_MS, SECOND_MS, abortAfter } from '@signalbox/contracts/time';
import { say } from '@signalbox/messages/say';
import type { CommandResult, Driver, ExecuteOptions } from '../drivers/driver.ts';
import { executePipeline } from './pipeline.ts';

/** Limits of a pipeline that runs without approval. */
export interface PipelineLimits {
  readonly wallMs: number;
  readonly cpuSeconds: number;
  /** Maximum address space of each program. */
  readonly memoryBytes: number;
  readonly outputBytes: number;
}

/** Limits of a command that nobody approved: reading a machine's figures takes seconds and some megabytes. */
export const UNAPPROVED_LIMITS: PipelineLimits = {
  wallMs: MINUTE_MS / 2,
  cpuSeconds: 20,
  memoryBytes: 512 * MIB,
  outputBytes: MIB,
};

/**
 * Shell code that sets kernel limits and a clean environment, and then executes the program. Works in any `sh`. When a limit cannot be
 * set and is not set already, nothing runs. The number of processes is not limited: the kernel would count all processes of the login.
 */
const LIMITED =
  'limit() { ulimit "$1" "$2" 2> /dev/null || [ "$(ulimit "$1")" != unlimited ] || exit 125; }; ' +
  'limit -c 0; limit -f 0; limit -t "$1"; limit -v "$2"; shift 2; ' +
  'exec env -i PATH="$PATH" LANG=C.UTF-8 SIGNALBOX_COMMAND="$SIGNALBOX_COMMAND" "$@"';

/** Runs a pipeline with limits of time, memory and output. A killed pipeline has no exit code, and its reason in stderr. */
export async function executeBounded(
  driver: Pick<Driver, 'execute'>,
  pipeline: readonly (readonly string[])[],
  { signal, maxBytes }: Pick<ExecuteOptions, 'signal' | 'maxBytes'>,
  bounds: PipelineLimits = UNAPPROVED_LIMITS,
): Promise<CommandResult> {
  const { wallMs, cpuSeconds, memoryBytes, outputBytes } = bounds;
  const wall = abortAfter(wallMs);
  const full = new AbortController();
  const kept: Buffer[] = [];
  let written = 0;
  const output = new Writable({
    write: (bytes: Buffer, _encoding, done) => {
      const room = Math.max(0, maxBytes - written);
      if (room > 0) kept.push(bytes.subarray(0, room));
      written += bytes.length;
      if (written > outputBytes) full.abort(new Error('it writes too much'));
      done();
    },
  });
  const words = ['sh', '-c', LIMITED, 'sh', String(cpuSeconds), String(Math.floor(memoryBytes / 1024))];
  const limited = pipeline.map((argv) => [...words, ...argv]);
  let isKilled = false;
  const watched: Pick<Driver, 'execute'> = {
    execute: async (argv, options) => {
      const result = await driver.execute(argv, options);
      isKilled ||= result.code === null;
      return result;
    },
  };
  const stdout = (): string => new TextDecoder().decode(Buffer.concat(kept)).replaceAll('\0', '\uFFFD');
  try {
    const ended = AbortSignal.any([signal, wall, full.signal]);
    const result = await executePipeline(watched, limited, { signal: ended, maxBytes, output });
    const room = { seconds: cpuSeconds, megabytes: Math.floor(memoryBytes / MIB) };
    const killed = isKilled ? `${say('diagnose.programKilled', room)}\n` : '';
    return {
      ...result,
      stdout: stdout(),
      stderr: result.stderr + killed,
      truncated: result.truncated || isKilled || written > maxBytes,
    };
  } catch (error) {
    if (signal.aborted || !(wall.aborted || full.signal.aborted)) throw error;
    const why = full.signal.aborted
      ? say('diagnose.commandEndedForOutput', { bytes: outputBytes })
      : say('diagnose.commandEndedForTime', { seconds: wallMs / SECOND_MS });
    return { code: null, stdout: stdout(), stderr: `${why}\n`, truncated: true };
  }
}
