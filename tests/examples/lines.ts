import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { sleep } from '@signalbox/contracts/time';
import type { Channel, ChannelDefinition, IncomingUpdate } from '@signalbox/gateway/channels/channel';
import { removeReceiptMarks } from '@signalbox/gateway/channels/text/receipt';
import { z } from 'zod';

const ME = { userKey: 'lines-me', chatKey: 'lines:me', chatKind: 'private', name: 'Operator' } as const;
const TEXT = { kind: 'text', named: true, whisper: false, attachments: [], album: null } as const;

/** A terminal as a channel: each line is a message of one person. */
export function createLines(input: Readable, output: Writable): Channel<{ readonly text: string }> {
  const ids = { from: Date.now(), last: 0 }; // those of a restart are new
  const nextId = (): string => `${ids.from}-${(ids.last += 1)}`;
  return {
    name: 'lines',
    bot: 'terminal',
    fileLimitBytes: 0,
    way: 'polling',
    takesDecisions: false,
    throttle: { sendsPerSecond: 100, chatSendsPerSecond: 100, chatBurst: 100, groupSendsPerMinute: 100 },
    throttleOf: () => 'private',
    encode: ({ text, receipts = [] }) => [
      { text: [removeReceiptMarks(text), ...receipts.map(({ what, note }) => `🧾 ${what} · ${note}`)].join('\n') },
    ],
    send: async (_, { text }, firstLine) => {
      output.write(`${[firstLine, text].filter((line) => line !== null).join('\n')}\n`);
      return { kind: 'sent', messageId: nextId() };
    },
    listen: (admit) => {
      const stop = new AbortController();
      const lines = createInterface({ input });
      const bring = async (update: IncomingUpdate): Promise<void> => {
        for (let done = false; !done && !stop.signal.aborted;) {
          done = await admit([update])
            .then(() => true)
            .catch(() => false);
          if (!done) await sleep(500, stop.signal);
        }
      };
      const ended = (async () => {
        for await (const line of lines) {
          const id = nextId();
          const text = line.replaceAll('\u0000', ''); // Postgres stores none
          await bring({ ...ME, ...TEXT, text, updateId: id, messageId: id, at: new Date().toISOString() });
        }
      })();
      const close = async (): Promise<void> => (stop.abort(), lines.close(), await ended);
      return { ended, problem: () => null, close };
    },
  };
}

export default {
  name: 'lines',
  config: z.object({}),
  open: async () => createLines(process.stdin, process.stdout),
} satisfies ChannelDefinition;
