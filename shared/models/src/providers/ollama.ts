import { z } from 'zod';
import { parseJson } from '@signalbox/contracts/system-error';
import { flattenSystem, toOpenAiTools, type Fetch, type Provider } from './provider.ts';

export const OllamaConfig = z.object({
  /** The address of the Ollama server. Not set: this machine. */
  OLLAMA_BASE_URL: z.url().optional(),
  /** The Ollama model used when MODEL names no model; it must be pulled, and able to call tools. */
  OLLAMA_MODEL: z.string().optional(),
});

const OWN_URL = 'http://127.0.0.1:11434';
const DEFAULT_MODEL = 'qwen3';

/** The context size in tokens. Ollama's default of 4,096 is too small for tools and a conversation. */
const CONTEXT_TOKENS = 16_384;

export const ollama: Provider = {
  id: 'ollama',
  variables: { key: null, url: 'OLLAMA_BASE_URL', model: 'OLLAMA_MODEL' },
  read: (config) => {
    const { OLLAMA_BASE_URL, OLLAMA_MODEL } = OllamaConfig.parse(config);
    return {
      chosen: OLLAMA_BASE_URL !== undefined || OLLAMA_MODEL !== undefined,
      missing: [],
      apiKey: null,
      baseURL: OLLAMA_BASE_URL ?? OWN_URL,
      model: OLLAMA_MODEL ?? DEFAULT_MODEL,
    };
  },
  open: async ({ model, baseURL }) => {
    const { ChatOllama } = await import('@langchain/ollama');
    return {
      client: ({ tools, object, options: { temperature, maxOutputTokens } }, fetch) => {
        // The library supports neither signals nor retryable statuses; our `fetch` does.
        const client = new ChatOllama({
          model,
          baseUrl: baseURL,
          fetch: refuseToShorten(passCompleteLines(fetch)),
          maxRetries: 0,
          numCtx: CONTEXT_TOKENS,
          // A model's own file holds the temperature that its maker recommends.
          ...(temperature === undefined ? {} : { temperature }),
          ...(maxOutputTokens === undefined ? {} : { numPredict: maxOutputTokens }),
        });
        if (object) return client.withConfig({ format: { ...object.schema } });
        return tools.length > 0 ? client.bindTools(toOpenAiTools(tools)) : client;
      },
      arrange: flattenSystem,
      // Older servers report `done` without a reason.
      endOf: ({ response_metadata: end }) => (end['done'] === true ? String(end['done_reason'] ?? 'done') : null),
    };
  },
};

/** Asks the server to refuse a conversation that is too long: by default it silently drops the oldest messages. */
function refuseToShorten(fetch: Fetch): Fetch {
  return (input, init) => {
    const body: unknown = typeof init?.body === 'string' ? parseJson(init.body) : undefined;
    if (typeof body !== 'object' || body === null || !('messages' in body)) return fetch(input, init);
    return fetch(input, { ...init, body: JSON.stringify({ ...body, truncate: false, shift: false }) });
  };
}

/** Passes only complete lines to the library, which logs incomplete lines with words of the conversation. */
function passCompleteLines(fetch: Fetch): Fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    if (!response.ok || !response.body) return response;
    let rest = '';
    const lines = new TransformStream<string, string>({
      transform: (text, controller) => {
        const all = rest + text;
        const end = all.lastIndexOf('\n') + 1;
        rest = all.slice(end);
        if (end > 0) controller.enqueue(all.slice(0, end));
      },
      flush: (controller) => {
        if (parseJson(rest) !== undefined) controller.enqueue(rest);
      },
    });
    const body = response.body
      .pipeThrough(new TextDecoderStream())
      .pipeThrough(lines)
      .pipeThrough(new TextEncoderStream());
    return new Response(body, { status: response.status, headers: response.headers });
  };
}
