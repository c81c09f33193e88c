import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import { answerHonestly } from './honest-reader.ts';

/** What is read of a chat completion request. */
const Request = z.object({
  messages: z.array(
    z.object({
      role: z.string(),
      content: z.unknown(),
      tool_calls: z.array(z.object({ function: z.object({ name: z.string(), arguments: z.string() }) })).default([]),
    }),
  ),
  tools: z.array(z.object({ function: z.object({ name: z.string() }) })).default([]),
});
const Streams = z.object({ stream: z.boolean().default(false) });

export interface ModelAnswer {
  readonly content?: string | undefined;
  /** Instead of the content: what is written, piece by piece, as it comes. Only for requests that stream. */
  readonly pieces?: AsyncIterable<string>;
  /** The pieces are those of the arguments of a call of this tool. */
  readonly piecesOf?: string;
  /** Arguments that are a text are sent as they are, whole JSON or not. */
  readonly toolCalls?: readonly { readonly name: string; readonly args: unknown }[];
  /** Instead of what follows from the calls. */
  readonly finishReason?: string | undefined;
  readonly delayMs?: number;
  readonly status?: number;
  /** With a status of 429: how long nobody should ask again. */
  readonly retryAfterSeconds?: number;
  /** Instead of all that: these bytes, whatever was asked for. */
  readonly raw?: { readonly body: string; readonly type?: string };
}

/** Something that is written while it is read. Each reader gets all of it, from the beginning. */
export interface Pen {
  readonly pieces: AsyncIterable<string>;
  write(piece: string): void;
  end(): void;
}

export function createPen(): Pen {
  const written: string[] = [];
  const changes = new EventEmitter();
  let ended = false;
  return {
    pieces: {
      async *[Symbol.asyncIterator]() {
        for (let at = 0; ;) {
          const piece = written[at];
          if (piece !== undefined) {
            at += 1;
            yield piece;
          } else if (ended) return;
          else await once(changes, 'change');
        }
      },
    },
    write: (piece) => {
      written.push(piece);
      changes.emit('change');
    },
    end: () => {
      ended = true;
      changes.emit('change');
    },
  };
}

export interface ModelServer {
  readonly url: string;
  /** Requests that are being thought about now. */
  thinking(): number;
  requests(): number;
  close(): Promise<void>;
}

export interface AskedMessage {
  readonly role: string;
  /** The text of a message in several parts is that of all parts; what is no text is left out. */
  readonly content: string;
  /** What the model had proposed; empty for other messages. */
  readonly calls?: readonly { readonly name: string; readonly args: unknown }[];
}

/** A request as it came. `gone` is aborted when nobody waits for the answer any more. */
export interface ServedRequest {
  readonly path: string;
  readonly body: string;
  readonly gone: AbortSignal;
}

/** A model server that speaks the chat completions protocol, outside of the worker's process: it stays when the worker is killed. */
export function startModelServer(
  answer: (messages: readonly AskedMessage[], tools: readonly string[]) => ModelAnswer | Promise<ModelAnswer>,
  options: { readonly reader?: (question: string) => ModelAnswer } = {},
): Promise<ModelServer> {
  return serveModel(({ body }) => {
    const { messages, tools } = Request.parse(JSON.parse(body));
    const names = tools.map((tool) => tool.function.name);
    const asked = messages.flatMap(({ role, content, tool_calls }) => {
      const calls = tool_calls.map(({ function: call }) => ({
        name: call.name,
        args: JSON.parse(call.arguments) as unknown,
      }));
      return splitFacts({ role, content: textOf(content), calls });
    });
    // A test that says nothing about the clean reader has an honest one.
    if (!names.includes('verdict')) return answer(asked, names);
    return (options.reader ?? readHonestly)(asked.at(-1)?.content ?? '');
  });
}

/** The same for whoever reads the body and takes time to answer. */
export async function serveModel(
  answer: (request: ServedRequest) => ModelAnswer | Promise<ModelAnswer>,
): Promise<ModelServer> {
  let thinking = 0;
  let requests = 0;
  const server = createServer((request, response) => {
    const n = (requests += 1); // the answers to two requests never share an id
    const gone = new AbortController();
    thinking += 1;
    response.on('close', () => {
      thinking -= 1;
      gone.abort();
    });
    void read(request).then(async (body) => {
      const reply = await answer({ path: request.url ?? '', body, gone: gone.signal });
      const send = (): void => {
        if (reply.raw) {
          const { body: bytes, type = 'text/event-stream' } = reply.raw;
          return void response.writeHead(reply.status ?? 200, { 'content-type': type }).end(bytes);
        }
        const streams = Streams.parse(JSON.parse(body)).stream && reply.status === undefined;
        if (reply.pieces) return void writePieces(response, reply.pieces, reply.piecesOf ?? null, n);
        if (reply.retryAfterSeconds !== undefined) response.setHeader('retry-after', reply.retryAfterSeconds);
        response
          .writeHead(reply.status ?? 200, { 'content-type': streams ? 'text/event-stream' : 'application/json' })
          .end(streams ? events(reply, n) : JSON.stringify(completion(reply, n)));
      };
      if (reply.delayMs) setTimeout(send, reply.delayMs).unref();
      else send();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // it listens on TCP
  return {
    url: `http://127.0.0.1:${port}/v1`,
    thinking: () => thinking,
    requests: () => requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The rules and the facts of the moment. */
export function promptOf(messages: readonly AskedMessage[]): string {
  const told = messages.filter(({ role }) => role === 'system').map(({ content }) => content);
  return told.join('\n\n');
}

const FACTS_END = '[End of the facts]';

/** Tells the facts of the moment, which begin a person's message on the wire, from what the person wrote. */
function splitFacts(message: AskedMessage): readonly AskedMessage[] {
  const { role, content } = message;
  if (role !== 'user' || !content.startsWith('[Facts of the moment')) return [message];
  const end = content.indexOf(FACTS_END) + FACTS_END.length;
  const said = content.slice(end).trimStart();
  return [{ role: 'system', content: content.slice(0, end) }, ...(said === '' ? [] : [{ ...message, content: said }])];
}

export function readHonestly(question: string): ModelAnswer {
  return { toolCalls: [{ name: 'verdict', args: answerHonestly(question) }] };
}

const Parts = z.array(z.object({ text: z.string().default('') }));

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  const parts = Parts.safeParse(content);
  return parts.success ? parts.data.map(({ text }) => text).join('\n') : '';
}

function completion(reply: ModelAnswer, n: number): unknown {
  const calls = callsOf(reply);
  const message = {
    role: 'assistant',
    content: reply.content ?? null,
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  };
  return {
    id: `chatcmpl-${n}`,
    object: 'chat.completion',
    created: 0,
    model: 'test',
    choices: [{ index: 0, message, finish_reason: finishOf(reply) }],
    usage: USAGE,
  };
}

/** Ends with the connection, or with the pieces. */
async function writePieces(
  response: ServerResponse,
  pieces: AsyncIterable<string>,
  tool: string | null,
  n: number,
): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.flushHeaders();
  if (tool !== null) {
    const call = { index: 0, id: 'call_0', type: 'function', function: { name: tool, arguments: '' } };
    response.write(toEvents([chunk(n, { role: 'assistant', content: null, tool_calls: [call] }, null)]));
  }
  for await (const piece of pieces) {
    if (response.destroyed) return;
    const args = { tool_calls: [{ index: 0, function: { arguments: piece } }] };
    response.write(toEvents([chunk(n, tool === null ? { role: 'assistant', content: piece } : args, null)]));
  }
  response.end(`${toEvents([chunk(n, {}, tool === null ? 'stop' : 'tool_calls'), usageChunk(n)])}data: [DONE]\n\n`);
}

/** The same answer as a stream of events. */
function events(reply: ModelAnswer, n: number): string {
  const calls = callsOf(reply).map((call, index) => ({ index, ...call }));
  const parts = [
    chunk(
      n,
      { role: 'assistant', content: reply.content ?? null, ...(calls.length > 0 ? { tool_calls: calls } : {}) },
      null,
    ),
    chunk(n, {}, finishOf(reply)),
    usageChunk(n),
  ];
  return `${toEvents(parts)}data: [DONE]\n\n`;
}

function chunk(n: number, delta: unknown, finish_reason: string | null): unknown {
  return { ...chunkHead(n), choices: [{ index: 0, delta, finish_reason }] };
}

function usageChunk(n: number): unknown {
  return { ...chunkHead(n), choices: [], usage: USAGE };
}

function chunkHead(n: number): Record<string, unknown> {
  return { id: `chatcmpl-${n}`, object: 'chat.completion.chunk', created: 0, model: 'test' };
}

function toEvents(parts: readonly unknown[]): string {
  return parts.map((part) => `data: ${JSON.stringify(part)}\n\n`).join('');
}

const USAGE = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };

function finishOf({ finishReason, toolCalls = [] }: ModelAnswer): string {
  return finishReason ?? (toolCalls.length > 0 ? 'tool_calls' : 'stop');
}

function callsOf(reply: ModelAnswer) {
  return (reply.toolCalls ?? []).map(({ name, args }, i) => ({
    id: `call_${i}`, // as small servers do: the same ids in every answer
    type: 'function',
    function: { name, arguments: typeof args === 'string' ? args : JSON.stringify(args) },
  }));
}

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk as Uint8Array)); // an IncomingMessage yields buffers
  return Buffer.concat(chunks).toString();
}
