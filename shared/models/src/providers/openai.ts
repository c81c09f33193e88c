import type { AIMessageChunk, BaseMessage } from '@langchain/core/messages';
import type { Runnable } from '@langchain/core/runnables';
import type { ChatOpenAI } from '@langchain/openai';
import { z } from 'zod';
import { toStrictSchema } from './object-schema.ts';
import { acceptForeignStreams } from './openai-stream.ts';
import {
  flattenSystem,
  toOpenAiTools,
  toForcedTool,
  type ClientCall,
  type LoadedProvider,
  type ModelAccess,
  type Provider,
} from './provider.ts';

export const OpenAiConfig = z.object({
  /** The API key for OpenAI, or for the server at OPENAI_BASE_URL. */
  OPENAI_API_KEY: z.string().optional().meta({ secret: true }),
  /** The address of another server with OpenAI's API, such as http://127.0.0.1:8000/v1. Not set: OpenAI itself. */
  OPENAI_BASE_URL: z.url().optional(),
  /** The OpenAI model used when MODEL names no model. */
  OPENAI_MODEL: z.string().default('gpt-4.1-mini'),
});

const OWN_URL = 'https://api.openai.com/v1';

/** The provider for OpenAI, or with OPENAI_BASE_URL for any server with its chat completions API. */
export const openai: Provider = {
  id: 'openai',
  variables: { key: 'OPENAI_API_KEY', url: 'OPENAI_BASE_URL', model: 'OPENAI_MODEL' },
  read: (config) => {
    const { OPENAI_API_KEY, OPENAI_BASE_URL, OPENAI_MODEL } = OpenAiConfig.parse(config);
    const usable = OPENAI_API_KEY !== undefined || OPENAI_BASE_URL !== undefined;
    return {
      chosen: OPENAI_API_KEY !== undefined,
      missing: usable ? [] : ['needs OPENAI_API_KEY, or OPENAI_BASE_URL of a server that asks for no key'],
      apiKey: OPENAI_API_KEY ?? null,
      baseURL: OPENAI_BASE_URL ?? OWN_URL,
      model: OPENAI_MODEL,
    };
  },
  // Servers other than OpenAI's support forced tool calls better than schemas.
  open: (access) => openOpenAi(access, access.baseURL === OWN_URL),
};

/** Loads a client of a server that speaks chat completions. `schemas`: the server supports JSON Schema answers. */
export async function openOpenAi({ model, apiKey, baseURL }: ModelAccess, schemas: boolean): Promise<LoadedProvider> {
  const { ChatOpenAI: Client, ChatOpenAICompletions } = await import('@langchain/openai');
  return {
    client: (call, fetch) => {
      const fields = {
        model,
        apiKey: apiKey ?? DUMMY_API_KEY,
        maxRetries: 0,
        configuration: { baseURL, fetch },
        ...toOpenAiOptions(call),
      };
      const completions = acceptForeignStreams(new ChatOpenAICompletions(fields));
      return prepareOpenAi(new Client({ ...fields, completions }), call, schemas);
    },
    arrange: flattenSystem,
    endOf: readFinishReason,
    temperature: 0,
  };
}

/** Converts a call's options to fields of an OpenAI client. */
export function toOpenAiOptions({ options: { temperature, maxOutputTokens } }: Pick<ClientCall, 'options'>) {
  return {
    ...(temperature === undefined ? {} : { temperature }),
    ...(maxOutputTokens === undefined ? {} : { maxTokens: maxOutputTokens }),
  };
}

/** A key for servers that need none: without a key the library would send OPENAI_API_KEY to any server. */
const DUMMY_API_KEY = 'none';

/** Adds the call's tools or object to an OpenAI client. `schemas`: the server supports JSON Schema answers. */
export function prepareOpenAi(
  client: ChatOpenAI,
  { tools, object }: ClientCall,
  schemas: boolean,
): Runnable<BaseMessage[], AIMessageChunk> {
  if (!object) return tools.length > 0 ? client.bindTools(toOpenAiTools(tools)) : client;
  if (!schemas) return client.bindTools(toOpenAiTools([toForcedTool(object)]), { tool_choice: object.name });
  const { name, description, schema } = object;
  const json_schema = { name, description, strict: true, schema: toStrictSchema(schema) };
  return client.withConfig({ response_format: { type: 'json_schema', json_schema } });
}

/** Reads why an answer ended: chat completions give a reason, responses a status. */
export function readFinishReason({ response_metadata: end }: AIMessageChunk): string | null {
  const parsed = OpenAiEnd.parse(end);
  const status = parsed.status === 'in_progress' ? '' : parsed.status;
  return parsed.finish_reason || (status === 'incomplete' && parsed.incomplete_details.reason) || status || null;
}

const OpenAiEnd = z.object({
  /** Some servers send an empty end reason, or the word null, with each piece. */
  finish_reason: z
    .string()
    .transform((reason) => (/^(?:null|none)$/i.test(reason) ? '' : reason))
    .catch(''),
  status: z.string().catch(''),
  incomplete_details: z.object({ reason: z.string().catch('') }).catch({ reason: '' }),
});
