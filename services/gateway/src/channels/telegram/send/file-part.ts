import type { OutboundBody } from '@signalbox/contracts/conversation/envelope';

/** A file, sent as a document. `caption` is only set to say that it may be seen twice. */
export type TelegramFile = Readonly<Record<'artifactId' | 'name' | 'caption', string>> & { readonly form: 'file' };

/** The files of a message, one part each: they follow its texts. */
export function encodeFiles({ files = [] }: OutboundBody): readonly TelegramFile[] {
  return files.map(({ artifactId, name }) => ({ form: 'file', artifactId, name, caption: '' }));
}
