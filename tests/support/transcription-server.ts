import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What goes wrong with one request: a refusal, an answer that is none, one that breaks off, or none at all. */
export type TranscriptionFault = { readonly status: number } | { readonly body: string } | 'cut' | 'hang';

/** What was asked for, as it was on the wire. */
export interface AskedTranscription {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly model: string;
  readonly language: string | null;
  readonly fileName: string;
  readonly sizeBytes: number;
}

/** A server that speaks OpenAI's transcription of audio. */
export interface TranscriptionServer {
  /** As TRANSCRIPTION_URL takes it. */
  readonly url: string;
  asked(): readonly AskedTranscription[];
  /** Faults of the next requests, in order; null for none. */
  plan(...faults: readonly (TranscriptionFault | null)[]): void;
  /** Requests whose connection the client closed before it had an answer. */
  abandoned(): number;
  close(): Promise<void>;
}

/** Starts it over a recognizer, which is given the bytes that came; recordings that it rejects are answered with 400. */
export async function startTranscriptionServer(
  recognize: (recording: Uint8Array) => Promise<string>,
): Promise<TranscriptionServer> {
  const asked: AskedTranscription[] = [];
  const planned: (TranscriptionFault | null)[] = [];
  let abandoned = 0;
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    response.on('close', () => {
      if (!response.writableFinished) abandoned += 1;
    });
    const fault = planned.shift() ?? null;
    const { form, file } = await readForm(request);
    asked.push({
      path: request.url ?? '',
      authorization: request.headers.authorization,
      model: String(form.get('model')),
      language: form.has('language') ? String(form.get('language')) : null,
      fileName: file.name,
      sizeBytes: file.size,
    });
    if (fault === 'hang') return;
    if (fault === 'cut')
      return void response.writeHead(200, { 'content-length': '100' }).write('{"te', () => response.destroy());
    if (fault !== null && 'status' in fault)
      return answer(response, fault.status, { error: { message: 'as planned' } });
    if (fault !== null) return void response.writeHead(200, { 'content-type': 'application/json' }).end(fault.body);
    const bytes = new Uint8Array(await file.arrayBuffer());
    await recognize(bytes).then(
      (text) => answer(response, 200, { text }),
      () => answer(response, 400, { error: { message: 'the recording cannot be read' } }),
    );
  };
  const server = createServer((request, response) => {
    void serve(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // it listens on TCP
  return {
    url: `http://127.0.0.1:${port}/v1`,
    asked: () => asked,
    plan: (...faults) => void planned.push(...faults),
    abandoned: () => abandoned,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function readForm(request: IncomingMessage): Promise<{ readonly form: FormData; readonly file: File }> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk as Uint8Array)); // an IncomingMessage yields buffers
  const headers = { 'content-type': request.headers['content-type'] ?? '' };
  const form = await new Response(Buffer.concat(chunks), { headers }).formData();
  const file = form.get('file');
  if (!(file instanceof File)) throw new Error('the form has no file');
  return { form, file };
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
