import type { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { z } from 'zod';
import { AppError } from '../errors.ts';
import { isTransient } from './failure.ts';
import type { PlannerCatalog } from './offline/catalog.ts';
import { OfflineChatModel } from './offline/chat-model.ts';

/** Variables of the model. A service that thinks spreads `ModelConfig.shape` into its own config. */
export const ModelConfig = z.object({
  /** offline (the built-in planner) or openai (any OpenAI-compatible server). Not set: openai when there is a key, else offline. */
  MODEL: z.enum(['offline', 'openai']).optional(),
  /** Key of the model's server. Servers of your own that ask for none leave it empty and set MODEL=openai and OPENAI_BASE_URL. */
  OPENAI_API_KEY: z.string().optional().meta({ secret: true }),
  /** Where an OpenAI-compatible server answers, such as http://127.0.0.1:11434/v1. Not set: OpenAI itself. */
  OPENAI_BASE_URL: z.url().optional(),
  /** Name of the model at that server. */
  OPENAI_MODEL: z.string().default('gpt-4.1-mini'),
});
export type ModelConfig = z.infer<typeof ModelConfig>;

export type ModelSettings =
  | { readonly provider: 'offline' }
  | {
      readonly provider: 'openai';
      readonly apiKey: string | null;
      readonly baseURL: string | null;
      readonly model: string;
      readonly timeoutMs?: number;
      readonly maxRetries?: number;
    };

/** Above the slowest honest answer of a large model; a turn that waits longer looks dead to the person. */
const TIMEOUT_MS = 60_000;
/** Two more tries ride out a short 429 or 5xx; the turn itself is tried again by whoever delivers it. */
const MAX_RETRIES = 2;

/** Reads the settings out of the variables. Throws CONFIG_INVALID when openai is asked for without a key or a server. */
export function modelSettings(config: ModelConfig): ModelSettings {
  const provider = config.MODEL ?? (config.OPENAI_API_KEY ? 'openai' : 'offline');
  if (provider === 'offline') return { provider };
  if (!config.OPENAI_API_KEY && !config.OPENAI_BASE_URL) {
    throw new AppError('CONFIG_INVALID', {
      problems: 'MODEL: openai needs OPENAI_API_KEY, or OPENAI_BASE_URL of a server that asks for no key',
    });
  }
  return {
    provider,
    apiKey: config.OPENAI_API_KEY ?? null,
    baseURL: config.OPENAI_BASE_URL ?? null,
    model: config.OPENAI_MODEL,
  };
}

/** Builds the chat model. `catalog` is asked at each answer, so that capabilities may change while the model lives. */
export async function createModel(
  settings: ModelSettings,
  { catalog }: { readonly catalog: () => PlannerCatalog },
): Promise<{ readonly model: BaseChatModel; readonly name: string }> {
  if (settings.provider === 'offline') return { model: new OfflineChatModel({ catalog }), name: 'offline' };
  // Loaded when it is used: the client costs a quarter of a second of start-up that the offline planner does not need.
  const { ChatOpenAI } = await import('@langchain/openai');
  const model = new ChatOpenAI({
    model: settings.model,
    apiKey: settings.apiKey ?? 'none', // the client insists on a key; servers without one ignore it
    timeout: settings.timeoutMs ?? TIMEOUT_MS,
    maxRetries: settings.maxRetries ?? MAX_RETRIES,
    // The client's own rule gives up at once on a 429 that names no waiting time, which most compatible servers send.
    onFailedAttempt: (error: unknown) => {
      if (!isTransient(error)) throw error;
    },
    ...(settings.baseURL ? { configuration: { baseURL: settings.baseURL } } : {}),
  });
  return { model, name: `openai:${settings.model}` };
}
