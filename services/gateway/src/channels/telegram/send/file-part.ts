import type { OutboundBody } from '@signalbox/contracts/conversation/envelope';

/** A file sent as a document. Its `caption` is empty, except for a file that may arrive twice. */
export type TelegramFile = Readonly<Record<'artifactId' | 'name' | 'caption', string>> & { readonly form: 'file' };

/** Encodes the files of a message as parts that follow its texts. */
export function encodeFiles({ files = [] }: OutboundBody): readonly TelegramFile[] {
  return files.map(({ artifactId, name }) => ({ form: 'file', artifactId, name, caption: '' }));
}
