import { expect } from 'vitest';
import { until } from '../../support/until.ts';
import { ARTIFACT } from './bench.ts';
import { collectTexts, type Rule, type Stage } from './stage.ts';

const FILE = { name: 'notes.txt', bytes: Buffer.from('milk, bread and a 🥝') };
const LIMITS = { limitBytes: 1_000, signal: new AbortController().signal };

/** Has the person send a file. Answers what stands in the message about it. */
async function receiveFile(stage: Stage) {
  const { stored } = await stage.meet();
  await stage.hook('sendFile')(FILE);
  const message = await until(() => collectTexts(stored).find(({ attachments }) => attachments.length > 0));
  const [attachment] = message.attachments;
  if (!attachment) throw new Error('the line above has looked for one');
  return attachment;
}

/** What is promised of files. */
export const FILES: readonly Rule[] = [
  {
    sentence: 'hands over a file that a person sends, and fetches its bytes',
    needs: ['files of people'],
    check: async (stage) => {
      const { ref, name } = await receiveFile(stage);
      expect(name).toBe(FILE.name);
      const fetched = await stage.channel.fetchFile?.(ref, LIMITS);
      expect(fetched?.kind === 'file' && Buffer.from(fetched.bytes).equals(FILE.bytes)).toBe(true);
    },
  },
  {
    sentence: 'fetches no file that is larger than was asked for',
    needs: ['files of people'],
    check: async (stage) => {
      const { ref } = await receiveFile(stage);
      expect(await stage.channel.fetchFile?.(ref, { ...LIMITS, limitBytes: 5 })).toEqual({ kind: 'too-large' });
    },
  },
  {
    sentence: 'says that a file is away when fetching it is broken off',
    needs: ['files of people'],
    check: async (stage) => {
      const { ref } = await receiveFile(stage);
      const signal = AbortSignal.abort();
      expect(await stage.channel.fetchFile?.(ref, { ...LIMITS, signal })).toMatchObject({ kind: 'away' });
    },
  },
  {
    sentence: 'fetches no file that nobody sent',
    needs: ['files of people'],
    check: async (stage) => {
      await stage.meet();
      expect((await stage.channel.fetchFile?.('no-such-file', LIMITS))?.kind).toMatch(/^(?:gone|away)$/);
    },
  },
  {
    sentence: 'sends the files of a message with it',
    needs: ['files for people'],
    check: async (stage) => {
      await stage.meet();
      const { artifactId, name, bytes } = ARTIFACT;
      await stage.send({ text: 'The report.', files: [{ artifactId, name }] });
      expect(await stage.shown()).toContain('The report.');
      const [file] = await stage.hook('files')();
      expect([file?.name, file && Buffer.from(file.bytes).equals(bytes)]).toEqual([name, true]);
    },
  },
];
