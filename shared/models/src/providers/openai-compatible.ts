import { z } from 'zod';
import { openOpenAi } from './openai.ts';
import type { Provider } from './provider.ts';

export const OpenAiCompatibleConfig = z.object({
  /** The address of another server with OpenAI's API (vLLM, LM Studio, a gateway), such as http://127.0.0.1:8000/v1. */
  OPENAI_COMPATIBLE_BASE_URL: z.url().optional(),
  /** The API key of the OpenAI-compatible server, if it needs a key. */
  OPENAI_COMPATIBLE_API_KEY: z.string().optional().meta({ secret: true }),
  /** The model of the OpenAI-compatible server used when MODEL names no model. */
  OPENAI_COMPATIBLE_MODEL: z.string().optional(),
});

/** The provider for any server with OpenAI's chat completions API. Its own variables allow using it beside OpenAI. */
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
  open: (access) => openOpenAi(access, false),
};
