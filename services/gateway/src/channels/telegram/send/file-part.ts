import type { OutboundBody } from '@signalbox/contracts/conversation/envelope';

/** A file sent as a document. `caption` is set only when it may appear twice. */
export type TelegramFile = Readonly<Record<'artifactId' | 'name' | 'caption', string>> & { readonly form: 'file' };

/** The files of a message, one part each, after its texts. */
export function encodeFiles({ files = [] }: OutboundBody): readonly TelegramFile[] {
  return files.map(({ artifactId, name }) => ({ form: 'file', artifactId, name, caption: '' }));
}
