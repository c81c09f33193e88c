import type { LogLine } from '@signalbox/contracts/operations/deploy';
import { sleep } from '@signalbox/contracts/time';
import type { LogQuery } from '../driver.ts';
import { allowNotFound, type Engine } from './engine.ts';

interface StampedLine extends LogLine {
  /** Timestamp of the log line as the engine writes it, in nanoseconds. */
  readonly stamp: string;
}

const AGAIN_MS = 300;
const HEADER_BYTES = 8;

/** Reads the log of a container, oldest line first; with `follow` also new lines, until the signal. */
export async function* readContainerLog(engine: Engine, container: string, query: LogQuery): AsyncGenerator<LogLine> {
  const { tail, since, until, follow = false, signal } = query;
  const inRange = ({ at }: LogLine): boolean =>
    at === null || ((!since || at >= since.toISOString()) && (!until || at <= until.toISOString()));
  const earlier: StampedLine[] = [];
  for await (const line of readFrom(engine, container, { since: since ?? null, tail: since ? null : tail }, signal))
    if (inRange(line)) earlier.push(line);
  yield* tail === 0 ? [] : earlier.slice(-tail).map(plain);
  let last = earlier.at(-1)?.stamp ?? '';
  while (follow && !signal.aborted) {
    for await (const line of readNew(engine, container, last, signal)) {
      last = line.stamp;
      if (inRange(line)) yield plain(line);
    }
    await sleep(AGAIN_MS, signal); // An exited container may be restarted, so its log is read again after a pause.
  }
}

async function* readNew(
  engine: Engine,
  container: string,
  last: string,
  signal: AbortSignal,
): AsyncGenerator<StampedLine> {
  // The engine filters by whole seconds, so its answer repeats lines up to `last`.
  const since = last === '' ? null : new Date(last);
  try {
    for await (const line of readFrom(engine, container, { since, tail: null, follow: true }, signal))
      if (line.stamp > last) yield line;
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

interface From {
  readonly since: Date | null;
  readonly tail: number | null;
  readonly follow?: boolean;
}

async function* readFrom(
  engine: Engine,
  container: string,
  { since, tail, follow = false }: From,
  signal: AbortSignal,
): AsyncGenerator<StampedLine> {
  const common = {
    stdout: true,
    stderr: true,
    timestamps: true,
    abortSignal: signal,
    ...(since ? { since: Math.floor(since.getTime() / 1_000) } : {}),
    ...(tail === null ? {} : { tail }),
  };
  if (!follow) {
    const all = await allowNotFound(
      engine.call((docker) => docker.getContainer(container).logs({ ...common, follow: false }), signal),
    );
    if (all) yield* takeFrames({ rest: all }).flatMap(linesOf);
    return;
  }
  const stream = await allowNotFound(
    engine.call((docker) => docker.getContainer(container).logs({ ...common, follow: true }), signal),
  );
  if (stream === null) return;
  const buffer = { rest: Buffer.from([]) };
  for await (const bytes of stream) {
    buffer.rest = Buffer.concat([buffer.rest, Buffer.from(bytes)]);
    yield* takeFrames(buffer).flatMap(linesOf);
  }
}

interface Frame {
  readonly stream: LogLine['stream'];
  readonly text: string;
}

function takeFrames(buffer: { rest: Buffer }): readonly Frame[] {
  const frames: Frame[] = [];
  while (buffer.rest.length >= HEADER_BYTES) {
    const end = HEADER_BYTES + buffer.rest.readUInt32BE(4);
    if (buffer.rest.length < end) break;
    const text = buffer.rest.subarray(HEADER_BYTES, end).toString('utf8');
    frames.push({ stream: buffer.rest[0] === 2 ? 'err' : 'out', text });
    buffer.rest = buffer.rest.subarray(end);
  }
  return frames;
}

function linesOf({ stream, text }: Frame): readonly StampedLine[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [, stamp = '', said = line] = /^(\S+Z) (.*)$/s.exec(line) ?? [];
      const at = stamp === '' ? null : new Date(stamp).toISOString();
      return { at, stream, line: said.replace(/\r$/, '').replaceAll('\0', '\uFFFD'), stamp };
    });
}

function plain({ at, stream, line }: StampedLine): LogLine {
  return { at, stream, line };
}
