import { AIMessage, type AIMessageChunk, type BaseMessage } from '@langchain/core/messages';
import { z } from 'zod';
import { readProviderData } from '../kept.ts';
import { toStrictSchema } from './object-schema.ts';
import { flattenSystem, toOpenAiTools, type Fetch, type Provider } from './provider.ts';

export const GoogleConfig = z.object({
  /** The API key for Google's Gemini API. */
  GOOGLE_API_KEY: z.string().optional().meta({ secret: true }),
  /** The address of the Gemini API. Not set: Google's own address. */
  GOOGLE_BASE_URL: z.url().optional(),
  /** The Gemini model used when MODEL names no model. */
  GOOGLE_MODEL: z.string().default('gemini-3.8-flash'),
});

const OWN_URL = 'https://generativelanguage.googleapis.com';

/** Google's documented placeholder for calls of other models: from Gemini 3 on, calls without a signature are refused. */
const NO_SIGNATURE = 'skip_thought_signature_validator';
const BEFORE_SIGNATURES = /^gemini-[12]\b/;

/** The signatures of an answer's calls in order; null for a call without a signature. */
const Signatures = z.array(z.string().nullable());

/** The provider for Google's Gemini models. */
export const google: Provider = {
  id: 'google',
  variables: { key: 'GOOGLE_API_KEY', url: 'GOOGLE_BASE_URL', model: 'GOOGLE_MODEL' },
  read: (config) => {
    const { GOOGLE_API_KEY, GOOGLE_BASE_URL, GOOGLE_MODEL } = GoogleConfig.parse(config);
    return {
      chosen: GOOGLE_API_KEY !== undefined,
      missing: GOOGLE_API_KEY === undefined ? ['needs GOOGLE_API_KEY'] : [],
      apiKey: GOOGLE_API_KEY ?? null,
      baseURL: GOOGLE_BASE_URL ?? OWN_URL,
      model: GOOGLE_MODEL,
    };
  },
  open: async ({ model, apiKey, baseURL }) => {
    const { ChatGoogle } = await import('@langchain/google');
    return {
      client: ({ tools, object, options: { temperature, maxOutputTokens } }, fetch) => {
        const client = new ChatGoogle({
          model,
          platformType: 'gai',
          endpoint: baseURL,
          maxRetries: 0,
          apiClient: apiClient(apiKey ?? '', fetch),
          ...(temperature === undefined ? {} : { temperature }),
          ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
        });
        if (object) return client.withConfig({ responseSchema: toStrictSchema(object.schema) });
        return tools.length > 0 ? client.bindTools(toOpenAiTools(tools)) : client;
      },
      arrange: (messages) => flattenSystem(messages).map((message) => addCallParts(message, model)),
      endOf: ({ additional_kwargs: end }) => (typeof end['finishReason'] === 'string' ? end['finishReason'] : null),
      keep: keepSignatures,
      // From Gemini 3 on, Google advises against another temperature than its own: answers may repeat themselves without end.
      temperature: BEFORE_SIGNATURES.test(model) ? 0 : undefined,
    };
  },
};

/** A client that uses the given `fetch`: the library's own client would use the global fetch. */
function apiClient(apiKey: string, fetch: Fetch) {
  return {
    hasApiKey: () => true,
    getProjectId: () => Promise.resolve(''), // the library calls this function only on Vertex
    fetch: (request: Request) => {
      request.headers.set('x-goog-api-key', apiKey);
      return fetch(request);
    },
  };
}

/** Adds an answer's calls as content parts: the library drops calls beside text. Signatures go back to the model that made them. */
function addCallParts(message: BaseMessage, model: string): BaseMessage {
  if (!AIMessage.isInstance(message) || !message.tool_calls || message.tool_calls.length === 0) return message;
  const signatures = readProviderData(message, `google:${model}`, Signatures) ?? [];
  const signed = signatures.some((signature) => signature !== null);
  const calls = message.tool_calls.map(({ id, name, args }, index) => {
    const first = index === 0 && !signed && !BEFORE_SIGNATURES.test(model) ? NO_SIGNATURE : null;
    const thoughtSignature = signatures[index] ?? first;
    return {
      type: 'functionCall',
      functionCall: { id, name, args },
      ...(thoughtSignature ? { thoughtSignature } : {}),
    };
  });
  const text = message.text === '' ? [] : [{ type: 'text', text: message.text }];
  return new AIMessage({ content: [...text, ...calls], tool_calls: message.tool_calls });
}

function keepSignatures({ tool_calls: calls = [] }: AIMessageChunk): unknown {
  const signatures = calls.map((call) => {
    const signed = z.object({ thoughtSignature: z.string() }).safeParse(call);
    return signed.success ? signed.data.thoughtSignature : null;
  });
  return signatures.some((signature) => signature !== null) ? signatures : null;
}
