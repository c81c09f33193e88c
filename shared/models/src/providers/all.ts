import { z } from 'zod';
import { anthropic, AnthropicConfig } from './anthropic.ts';
import { azureOpenai, AzureOpenAiConfig } from './azure-openai.ts';
import { google, GoogleConfig } from './google.ts';
import { ollama, OllamaConfig } from './ollama.ts';
import { openaiCompatible, OpenAiCompatibleConfig } from './openai-compatible.ts';
import { openai, OpenAiConfig } from './openai.ts';
import type { Provider } from './provider.ts';

/** The providers of models on servers, in the order in which their variables are looked at when MODEL is not set. */
export const PROVIDERS: readonly Provider[] = [openai, anthropic, google, azureOpenai, openaiCompatible, ollama];

/** The variables of all of them. */
export const ProvidersConfig = z.object({
  ...OpenAiConfig.shape,
  ...AnthropicConfig.shape,
  ...GoogleConfig.shape,
  ...AzureOpenAiConfig.shape,
  ...OpenAiCompatibleConfig.shape,
  ...OllamaConfig.shape,
});
