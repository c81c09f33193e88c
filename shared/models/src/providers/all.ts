import { z } from 'zod';
import { anthropic, AnthropicConfig } from './anthropic.ts';
import { azureOpenai, AzureOpenAiConfig } from './azure-openai.ts';
import { google, GoogleConfig } from './google.ts';
import { ollama, OllamaConfig } from './ollama.ts';
import { openaiCompatible, OpenAiCompatibleConfig } from './openai-compatible.ts';
import { openai, OpenAiConfig } from './openai.ts';
import type { Provider } from './provider.ts';

/** Providers of remote models, in the order in which they are tried when MODEL is not set. */
export const PROVIDERS: readonly Provider[] = [openai, anthropic, google, azureOpenai, openaiCompatible, ollama];

/** Environment variables of all providers. */
export const ProvidersConfig = z.object({
  ...OpenAiConfig.shape,
  ...AnthropicConfig.shape,
  ...GoogleConfig.shape,
  ...AzureOpenAiConfig.shape,
  ...OpenAiCompatibleConfig.shape,
  ...OllamaConfig.shape,
});
