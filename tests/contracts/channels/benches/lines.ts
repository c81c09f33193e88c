import { PassThrough } from 'node:stream';
import { createLines } from '../../../examples/lines.ts';
import type { BenchKind } from '../bench.ts';

const PRINTED = 'what a terminal shows stays as it is';
const LOCAL = 'a terminal is on this machine, and takes all that is written to it';

/** The terminal of docs/extending/channels.md: a channel that leaves out all that may be left out. */
export default {
  channel: 'lines',
  lacks: {
    restarts: 'what was typed into a terminal is gone with its process',
    repeats: 'a terminal brings each line once',
    edits: 'a line that was entered stays as it is',
    buttons: 'a terminal has nothing to press',
    'answers to presses': 'a terminal has nothing to press',
    'removal of buttons': 'a terminal has nothing to press',
    changes: PRINTED,
    removal: PRINTED,
    'files of people': 'a terminal carries lines',
    'files for people': 'a terminal carries lines',
    links: 'a terminal has no address',
    blocks: LOCAL,
    waits: LOCAL,
    moves: LOCAL,
    'lost answers': LOCAL,
    breakdowns: LOCAL,
    refusals: LOCAL,
    nonsense: LOCAL,
    disconnection: LOCAL,
  },
  open: async () => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const shown: string[] = [];
    output.on('data', (piece: Buffer) => shown.push(piece.toString()));
    return {
      channel: createLines(input, output),
      userKey: 'lines-me',
      chatKey: 'lines:me',
      say: async (text) => void input.write(`${text}\n`),
      seen: async () => shown,
      close: async () => void input.end(),
    };
  },
} satisfies BenchKind;
