import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';

/** What is read of a chat completion request. */
const Request = z.object({
  messages: z.array(z.object({ role: z.string(), content: z.unknown(), tool_calls: z.array(z.unknown()).optional() })),
  tools: z.array(z.object({ function: z.object({ name: z.string() }) })).default([]),
  stream: z.boolean().default(false),
});

export interface ModelAnswer {
  readonly content?: string;
  readonly toolCalls?: readonly { readonly name: string; readonly args: unknown }[];
  readonly delayMs?: number;
  readonly status?: number;
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
  readonly content: string;
}

/** A model server that speaks the chat completions protocol, outside of the worker's process: it stays when the worker is killed. */
export async function startModelServer(
  answer: (messages: readonly AskedMessage[], tools: readonly string[]) => ModelAnswer,
): Promise<ModelServer> {
  let thinking = 0;
  let requests = 0;
  const server = createServer((request, response) => {
    requests += 1;
    thinking += 1;
    response.on('close', () => (thinking -= 1));
    void read(request).then((body) => {
      const { messages, tools, stream } = Request.parse(JSON.parse(body));
      const reply = answer(
        messages.map(({ role, content }) => ({ role, content: typeof content === 'string' ? content : '' })),
        tools.map((tool) => tool.function.name),
      );
      const send = (): void => {
        const streams = stream && reply.status === undefined;
        response
          .writeHead(reply.status ?? 200, { 'content-type': streams ? 'text/event-stream' : 'application/json' })
          .end(streams ? events(reply, requests) : JSON.stringify(completion(reply, requests)));
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
    choices: [{ index: 0, message, finish_reason: calls.length > 0 ? 'tool_calls' : 'stop' }],
    usage: USAGE,
  };
}

/** The same answer as a stream of events. */
function events(reply: ModelAnswer, n: number): string {
  const chunk = (delta: unknown, finish_reason: string | null): unknown => ({
    id: `chatcmpl-${n}`,
    object: 'chat.completion.chunk',
    created: 0,
    model: 'test',
    choices: [{ index: 0, delta, finish_reason }],
  });
  const calls = callsOf(reply).map((call, index) => ({ index, ...call }));
  const parts = [
    chunk(
      { role: 'assistant', content: reply.content ?? null, ...(calls.length > 0 ? { tool_calls: calls } : {}) },
      null,
    ),
    chunk({}, calls.length > 0 ? 'tool_calls' : 'stop'),
    { id: `chatcmpl-${n}`, object: 'chat.completion.chunk', created: 0, model: 'test', choices: [], usage: USAGE },
  ];
  return [...parts.map((part) => JSON.stringify(part)), '[DONE]'].map((data) => `data: ${data}\n\n`).join('');
}

const USAGE = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };

function callsOf(reply: ModelAnswer) {
  return (reply.toolCalls ?? []).map(({ name, args }, i) => ({
    id: `call_${i}`, // as small servers do: the same ids in every answer
    type: 'function',
    function: { name, arguments: JSON.stringify(args) },
  }));
}

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk as Uint8Array)); // an IncomingMessage yields buffers
  return Buffer.concat(chunks).toString();
}
