import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { LogLine } from '@signalbox/contracts/operations/deploy';
import { sleep } from '@signalbox/contracts/time';
import type { LogQuery } from '../driver.ts';

const LOOK_MS = 150;

/** Reads the log of an instance: what is there, the oldest line first, and with `follow` what comes, until the signal. */
export async function* readLog(folder: string, query: LogQuery): AsyncGenerator<LogLine> {
  const { tail, since, until, follow = false, signal } = query;
  const file = join(folder, 'log');
  const reader = openReader(file);
  const inRange = ({ at }: LogLine): boolean =>
    (!since || at === null || at >= since.toISOString()) && (!until || at === null || at <= until.toISOString());
  const earlier = [...openReader(`${file}.1`).read(), ...reader.read()].filter(inRange);
  yield* tail === 0 ? [] : earlier.slice(-tail);
  while (follow && !signal.aborted) {
    if (until && Date.now() > until.getTime()) return;
    yield* reader.read().filter(inRange);
    await sleep(LOOK_MS, signal);
  }
}

interface LogReader {
  /** The whole lines since the last time. A log that was put aside meanwhile is read to its end first. */
  read(): readonly LogLine[];
}

function openReader(file: string): LogReader {
  let place = 0;
  let inode: number | null = null;
  const from = (path: string): readonly LogLine[] => {
    const text = readFrom(path, place);
    const end = text.lastIndexOf(10) + 1;
    place += end;
    return text.subarray(0, end).toString('utf8').split('\n').slice(0, -1).map(parseLine);
  };
  return {
    read: () => {
      const now = inodeOf(file);
      if (now === null) return [];
      if (inode === null || inode === now) {
        inode = now;
        return from(file);
      }
      const rest = inodeOf(`${file}.1`) === inode ? from(`${file}.1`) : [];
      [place, inode] = [0, now];
      return [...rest, ...from(file)];
    },
  };
}

function readFrom(path: string, place: number): Buffer {
  const fd = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(Math.max(0, fstatSync(fd).size - place));
    return bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, place));
  } finally {
    closeSync(fd);
  }
}

function inodeOf(path: string): number | null {
  try {
    return statSync(path).ino;
  } catch {
    return null;
  }
}

/** See keeper.cjs for what a line looks like. */
function parseLine(line: string): LogLine {
  const found = /^(\d{4}-\d\d-\d\dT[\d:.]+Z) ([oe]) (.*)$/.exec(line);
  const [, at = null, mark, said = line] = found ?? [];
  return { at, stream: mark === 'e' ? 'err' : 'out', line: said.replaceAll('\0', '\uFFFD') };
}
