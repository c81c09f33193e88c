import type { Attachment } from '@signalbox/contracts/conversation/envelope';
import { AppError, type ErrorCode } from '@signalbox/contracts/errors';
import type { CallScope } from '@signalbox/governance/calls/call';
import type { FetchedFile } from '@signalbox/platform/streams/files';
import type { InboxMessage } from '@signalbox/store/turns/lanes';
import { expect, test } from 'vitest';
import { keepAttachments, type KeepDeps, type KeptFile } from './keep-attachments.ts';

const CSV: Attachment = { kind: 'document', ref: 'r1', name: 'a b.csv', mimeType: 'text/csv', sizeBytes: 3 };
const BYTES: FetchedFile = { kind: 'file', bytes: Buffer.from('a,b') };

interface Given {
  readonly role?: string;
  readonly file?: Attachment;
  readonly fetched?: FetchedFile;
  readonly isKept?: boolean;
  readonly fails?: ErrorCode;
  readonly signal?: AbortSignal;
}

/** What became of one file, and what was done for it. */
async function keep(given: Given): Promise<{ files: readonly KeptFile[] | undefined; did: readonly string[] }> {
  const { role = 'developer', file = CSV, fetched = BYTES, isKept = false, fails } = given;
  const did: string[] = [];
  const answer = { outcome: 'done', result: { path: 'attachments/a_b.csv', sizeBytes: 3 } } as const;
  const deps = {
    fetchFile: async ({ ref }: { readonly ref: string }) => (did.push(`fetch ${ref}`), fetched),
    hand: async () => void did.push('hand'),
    drop: async () => void did.push('drop'),
    look: async () => (isKept ? { kind: 'done', output: answer } : { kind: 'not-done' }),
    work: async (_job: string, { name }: { readonly name: string }) => {
      did.push(`put ${name}`);
      if (fails) throw new AppError(fails, {} as never); // only the code matters here
      return { kind: 'done', result: answer };
    },
  } as unknown as KeepDeps; // the ports as far as this function uses them
  const scope = {
    actor: { userKey: '7', name: 'Ada', role },
    threadId: 't1',
    signal: given.signal ?? new AbortController().signal,
    log: { warn: () => undefined },
  } as unknown as CallScope; // the fields that this function reads
  const envelope = { id: 'm1', kind: 'message', channel: 'telegram', bot: 'b', attachments: [file] };
  const batch = [{ id: 1, envelope }] as unknown as readonly InboxMessage[]; // the fields that this function reads
  const kept = await keepAttachments(deps, scope, batch);
  return { files: kept.get('m1'), did };
}

const KEPT = { kind: 'kept', path: 'attachments/a_b.csv', sizeBytes: 3 };

test('a file is fetched, handed over, put under a plain name, and dropped', async () => {
  expect(await keep({})).toEqual({ files: [KEPT], did: ['fetch r1', 'hand', 'put a_b.csv', 'drop'] });
});

test('a resumed turn does not fetch a file again that lies there already', async () => {
  expect(await keep({ isKept: true, fetched: { kind: 'gone' } })).toEqual({ files: [KEPT], did: [] });
});

test('the files of a viewer are not fetched', async () => {
  expect(await keep({ role: 'viewer' })).toEqual({ files: undefined, did: [] });
});

test('a file over the limit is not fetched', async () => {
  const large = await keep({ file: { ...CSV, sizeBytes: 20_000_001 } });
  expect(large).toEqual({ files: [{ kind: 'lost', why: 'large' }], did: [] });
});

test.each([
  ['too-large', 'large'],
  ['gone', 'gone'],
  ['away', 'away'],
] as const)('a file whose fetch ends as %s is lost because of that: %s', async (kind, why) => {
  expect((await keep({ fetched: { kind } })).files).toEqual([{ kind: 'lost', why }]);
});

test('a job that fails loses the file and not the turn, and nothing stays in Redis', async () => {
  const { files, did } = await keep({ fails: 'JOB_FAILED' });
  expect(files).toEqual([{ kind: 'lost', why: 'away' }]);
  expect(did.at(-1)).toBe('drop');
});

test('a lost lane and a stop end the turn', async () => {
  await expect(keep({ fails: 'LANE_LOST' })).rejects.toMatchObject({ code: 'LANE_LOST' });
  const signal = AbortSignal.abort(new Error('stopped'));
  await expect(keep({ fails: 'JOB_FAILED', signal })).rejects.toThrow('stopped');
});

test.each([
  [{ ...CSV, name: null }, 'put document.csv'],
  [{ ...CSV, kind: 'photo' as const, name: null, mimeType: 'image/jpeg' }, 'put photo.jpg'],
  [{ ...CSV, name: null, mimeType: null }, 'put document'],
])('a file without a name is named after its kind: %j', async (file, put) => {
  expect((await keep({ file })).did).toContain(put);
});
