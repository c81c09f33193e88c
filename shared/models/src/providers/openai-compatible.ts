import { z } from 'zod';
import { readFinishReason, DUMMY_API_KEY, prepareOpenAi } from './openai.ts';
import { flattenSystem, type Provider } from './provider.ts';

export const OpenAiCompatibleConfig = z.object({
  /** Address of a server with OpenAI's API, beside OpenAI itself: vLLM, LM Studio, a gateway, such as http://127.0.0.1:8000/v1. */
  OPENAI_COMPATIBLE_BASE_URL: z.url().optional(),
  /** The server's key, if it needs one. */
  OPENAI_COMPATIBLE_API_KEY: z.string().optional().meta({ secret: true }),
  /** The model when MODEL names none. */
  OPENAI_COMPATIBLE_MODEL: z.string().optional(),
});

/** Any server with OpenAI's chat completions API, with its own variables so that it can be used beside OpenAI. */
export const openaiCompatible: Provider = {
  id: 'openai_compatible',
  variables: { key: 'OPENAI_COMPATIBLE_API_KEY', url: 'OPENAI_COMPATIBLE_BASE_URL', model: 'OPENAI_COMPATIBLE_MODEL' },
  read: (config) => {
    const variables = OpenAiCompatibleConfig.parse(config);
    const baseURL = variables.OPENAI_COMPATIBLE_BASE_URL;
    return {
      chosen: baseURL !== undefined,
      missing: baseURL === undefined ? ['needs OPENAI_COMPATIBLE_BASE_URL'] : [],
      apiKey: variables.OPENAI_COMPATIBLE_API_KEY ?? null,
      baseURL: baseURL ?? '',
      model: variables.OPENAI_COMPATIBLE_MODEL ?? null,
    };
  },
  open: async ({ model, apiKey, baseURL }) => {
    const { ChatOpenAI } = await import('@langchain/openai');
    return {
      client: (call, fetch) => {
        const configuration = { baseURL, fetch };
        const client = new ChatOpenAI({ model, apiKey: apiKey ?? DUMMY_API_KEY, maxRetries: 0, configuration });
        return prepareOpenAi(client, call, false);
      },
      arrange: flattenSystem,
      endOf: readFinishReason,
    };
  },
};
