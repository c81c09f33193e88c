import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { LogLine } from '@signalbox/contracts/operations/deploy';
import { sleep } from '@signalbox/contracts/time';
import { tryOr } from '@signalbox/contracts/system-error';
import type { LogQuery } from '../driver.ts';

const POLL_MS = 150;
const PIECE_BYTES = 64 * 1024;
const NEWLINE = 10;

/** Reads the log of an instance, oldest line first; with `follow` also new lines, until the signal aborts. */
export async function* readLog(folder: string, query: LogQuery): AsyncGenerator<LogLine> {
  const { tail, since, until, follow = false, signal } = query;
  const file = join(folder, 'log');
  const reader = openReader(file);
  const inRange = ({ at }: LogLine): boolean =>
    (!since || at === null || at >= since.toISOString()) && (!until || at === null || at <= until.toISOString());
  const newest: LogLine[] = [];
  for (const log of [openReader(`${file}.1`), reader])
    for (const line of log.read()) {
      if (!inRange(line)) continue;
      newest.push(line);
      if (newest.length >= 2 * tail + 1) newest.splice(0, newest.length - tail);
    }
  yield* tail === 0 ? [] : newest.slice(-tail);
  while (follow && !signal.aborted) {
    if (until && Date.now() > until.getTime()) return;
    for (const line of reader.read()) if (inRange(line)) yield line;
    await sleep(POLL_MS, signal);
  }
}

interface LogReader {
  /** Reads new complete lines. Finishes a rotated log first. */
  read(): Iterable<LogLine>;
}

function openReader(file: string): LogReader {
  let place = 0;
  let inode: number | null = null;
  function* from(path: string): Generator<LogLine> {
    for (const { text, bytes } of linesFrom(path, place)) {
      place += bytes;
      yield parseLine(text);
    }
  }
  return {
    *read() {
      const now = inodeOf(file);
      if (now === null) return;
      if (inode !== null && inode !== now) {
        if (inodeOf(`${file}.1`) === inode) yield* from(`${file}.1`);
        place = 0;
      }
      inode = now;
      yield* from(file);
    },
  };
}

function* linesFrom(path: string, from: number): Generator<{ readonly text: string; readonly bytes: number }> {
  const fd = openSync(path, 'r');
  try {
    const piece = Buffer.alloc(PIECE_BYTES);
    let [place, rest] = [from, Buffer.alloc(0)];
    for (let count = readSync(fd, piece, 0, PIECE_BYTES, place); count > 0;) {
      place += count;
      const bytes = Buffer.concat([rest, piece.subarray(0, count)]);
      let begin = 0;
      for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, begin)) {
        yield { text: bytes.toString('utf8', begin, end), bytes: end + 1 - begin };
        begin = end + 1;
      }
      rest = bytes.subarray(begin);
      count = readSync(fd, piece, 0, PIECE_BYTES, place);
    }
  } finally {
    closeSync(fd);
  }
}

const inodeOf = (path: string): number | null => tryOr(() => statSync(path).ino, null);

/** The program keeper.cjs documents the format of a line. */
function parseLine(line: string): LogLine {
  const found = /^(\d{4}-\d\d-\d\dT[\d:.]+Z) ([oe]) (.*)$/.exec(line);
  const [, at = null, mark, said = line] = found ?? [];
  return { at, stream: mark === 'e' ? 'err' : 'out', line: said.replaceAll('\0', '\uFFFD') };
}
