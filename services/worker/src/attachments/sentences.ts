import { formatBytes } from '@signalbox/contracts/file-name';
import { toPlainName } from '@signalbox/contracts/plain-name';
import { say } from '@signalbox/messages/say';
import type { InboxMessage } from '@signalbox/store/turns/lanes';
import { ATTACHMENT_LIMIT_BYTES, type KeptFile, type KeptFiles } from './keep-attachments.ts';

interface SentFile {
  readonly name: string;
  readonly isPicture: boolean;
  readonly kept: KeptFile;
}

/** Says, for files without words that nobody looks at, where each of them lies or why it does not. */
export function describeKeptFiles(batch: readonly InboxMessage[], kept: KeptFiles): string {
  const files = listSent(batch, kept);
  const paths = files.flatMap((file) => (file.kept.kind === 'kept' ? [file.kept.path] : []));
  const list = paths.map((path) => `\`${path}\``).join(', ');
  return [
    ...(paths.length === 0 ? [] : [say('turn.filesKept', { count: paths.length, paths: list })]),
    ...files.flatMap(describeLoss),
    ...(files.every(({ isPicture }) => isPicture) ? [say('turn.picturesOnly')] : []),
  ].join('\n\n');
}

/** Says of each file that is not in the folder why it is not. With a model that sees, lost pictures are told of as such. */
export function listLostFiles(batch: readonly InboxMessage[], kept: KeptFiles, sees: boolean): readonly string[] {
  return listSent(batch, kept)
    .filter(({ isPicture }) => !(sees && isPicture))
    .flatMap(describeLoss);
}

function describeLoss({ name, kept }: SentFile): readonly string[] {
  if (kept.kind === 'kept') return [];
  const limit = formatBytes(ATTACHMENT_LIMIT_BYTES);
  return [`_${say('turn.fileLost', { name: toPlainName(name), why: kept.why, limit })}_`];
}

function listSent(batch: readonly InboxMessage[], kept: KeptFiles): readonly SentFile[] {
  return batch.flatMap(({ envelope }) =>
    (envelope.kind === 'message' ? (envelope.attachments ?? []) : []).flatMap(({ name, kind }, place) => {
      const one = kept.get(envelope.id)?.[place];
      return one === undefined
        ? []
        : [{ name: name ?? say('turn.file', { kind }), isPicture: kind === 'photo', kept: one }];
    }),
  );
}
