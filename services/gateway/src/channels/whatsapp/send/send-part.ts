import { extname } from 'node:path';
import { TextDecoder } from 'node:util';
import { say } from '@signalbox/messages/say';
import { z } from 'zod';
import type { GraphApiAnswer, GraphApiClient } from '../client.ts';
import { classifyRequestFailure } from '../../http/no-answer.ts';
import { type CallResult, classifySendAnswer } from '../failure.ts';
import type { MessagePart } from './encode.ts';

const MIB = 1024 * 1024;
const MAX_DOCUMENT_BYTES = 100 * MIB;
const MAX_IMAGE_BYTES = 5 * MIB;
const OFFICE = 'application/vnd.openxmlformats-officedocument';
const DOCUMENTS: Readonly<Record<string, string>> = {
  '.pdf': 'application/pdf',
  '.doc': 'application/msword',
  '.xls': 'application/vnd.ms-excel',
  '.ppt': 'application/vnd.ms-powerpoint',
  '.docx': `${OFFICE}.wordprocessingml.document`,
  '.xlsx': `${OFFICE}.spreadsheetml.sheet`,
  '.pptx': `${OFFICE}.presentationml.presentation`,
};
const IMAGES: Readonly<Record<string, string>> = { '.png': 'image/png', '.jpg': 'image/jpeg', '.jpeg': 'image/jpeg' };

/** Loads a stored file; null when it no longer exists. Throws when the database is away. */
export type LoadFile = (artifactId: string) => Promise<{ readonly bytes: Uint8Array } | null>;

export interface SenderDeps {
  readonly client: Pick<GraphApiClient, 'post' | 'upload'>;
  readonly loadFile: LoadFile;
}

const Uploaded = z.object({ id: z.string().min(1) });

/** Sends one part to a phone number, with `firstLine` above it. Never throws. */
export async function sendPart(
  deps: SenderDeps,
  to: string,
  part: MessagePart,
  firstLine: string | null,
): Promise<CallResult> {
  const put = (text: string): string => (firstLine === null ? text : `${firstLine}\n${text}`);
  switch (part.form) {
    case 'text':
      return post(deps, to, part, { type: 'text', text: { body: put(part.text), preview_url: false } });
    case 'buttons': {
      const buttons = part.choices.map(({ id, title }) => ({ type: 'reply', reply: { id, title } }));
      const interactive = { type: 'button', body: { text: put(part.text) }, action: { buttons } };
      return post(deps, to, part, { type: 'interactive', interactive });
    }
    case 'list': {
      const action = { button: say('gateway.choices'), sections: [{ rows: part.choices }] };
      const interactive = { type: 'list', body: { text: put(part.text) }, action };
      return post(deps, to, part, { type: 'interactive', interactive });
    }
    case 'file':
      return sendFile(deps, to, part, firstLine);
  }
}

/** Sends the template that announces a waiting message. Never throws. */
export function sendTemplate(deps: Pick<SenderDeps, 'client'>, to: string, template: string): Promise<CallResult> {
  const [name = '', code = ''] = template.split('/');
  return post(deps, to, { replyTo: null }, { type: 'template', template: { name, language: { code } } });
}

async function post(
  { client }: Pick<SenderDeps, 'client'>,
  to: string,
  { replyTo }: Pick<MessagePart, 'replyTo'>,
  content: object,
): Promise<CallResult> {
  const context = replyTo === null ? {} : { context: { message_id: replyTo } };
  return attempt(() => client.post({ recipient_type: 'individual', to, ...context, ...content }));
}

/** Sends a file. People do not see an upload, so it may be repeated after any outcome. */
async function sendFile(
  deps: SenderDeps,
  to: string,
  part: Extract<MessagePart, { form: 'file' }>,
  firstLine: string | null,
): Promise<CallResult> {
  const file = await deps.loadFile(part.artifactId).catch(() => 'away' as const);
  if (file === 'away') return { kind: 'busy', detail: 'the file cannot be read at the moment' };
  if (file === null) return { kind: 'rejected', detail: 'the file is not stored any more' };
  const form = chooseForm(part.name, file.bytes);
  if (form === null) {
    const body = say('gateway.file-not-possible', { name: part.name });
    return post(deps, to, part, { type: 'text', text: { body } });
  }
  const { name, replyTo } = part;
  const { type, mimeType } = form;
  const uploaded = await attempt(
    () => deps.client.upload({ bytes: file.bytes, mimeType, name }),
    (answer) => Uploaded.safeParse(answer.body).data?.id ?? null,
  );
  if (uploaded.kind === 'ambiguous') return { kind: 'busy', detail: uploaded.detail };
  if (uploaded.kind !== 'sent') return uploaded;
  const caption = firstLine === null ? {} : { caption: firstLine };
  const named = type === 'document' ? { filename: name } : {};
  return post(deps, to, { replyTo }, { type, [type]: { id: uploaded.messageId, ...caption, ...named } });
}

/** Runs a call and classifies its answer. `readId` reads the resulting id; by default the id of a message. */
async function attempt(
  call: () => Promise<GraphApiAnswer>,
  readId?: (answer: GraphApiAnswer) => string | null,
): Promise<CallResult> {
  try {
    const answer = await call();
    const id = answer.status === 200 ? (readId?.(answer) ?? null) : null;
    return id === null ? classifySendAnswer(answer) : { kind: 'sent', messageId: id };
  } catch (error) {
    return classifyRequestFailure(error);
  }
}

/** Chooses the form by file name, else by whether the content is text. Null when WhatsApp takes no such file. */
function chooseForm(
  name: string,
  bytes: Uint8Array,
): { readonly type: 'document' | 'image'; readonly mimeType: string } | null {
  const extension = extname(name).toLowerCase();
  const image = IMAGES[extension];
  if (image !== undefined && bytes.length <= MAX_IMAGE_BYTES) return { type: 'image', mimeType: image };
  if (bytes.length === 0 || bytes.length > MAX_DOCUMENT_BYTES) return null;
  const known = DOCUMENTS[extension];
  if (known !== undefined) return { type: 'document', mimeType: known };
  return isText(bytes) ? { type: 'document', mimeType: 'text/plain' } : null;
}

function isText(bytes: Uint8Array): boolean {
  if (bytes.includes(0)) return false;
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}
