import { HumanMessage, SystemMessage, ToolMessage, type BaseMessage } from '@langchain/core/messages';
import { z } from 'zod';
import { toStrictSchema } from './object-schema.ts';
import { toOpenAiTools, toForcedTool, type Provider } from './provider.ts';

export const AnthropicConfig = z.object({
  /** The API key for Anthropic. */
  ANTHROPIC_API_KEY: z.string().optional().meta({ secret: true }),
  /** The address of the API, such as a gateway's. Not set: Anthropic's own address. */
  ANTHROPIC_BASE_URL: z.url().optional(),
  /** The Anthropic model used when MODEL names no model. */
  ANTHROPIC_MODEL: z.string().default('claude-sonnet-5'),
});

const OWN_URL = 'https://api.anthropic.com';

/** Models without structured outputs. They get a forced tool call instead, which newer models refuse. */
const WITHOUT_SCHEMAS = /^claude-(instant|[23]|(opus|sonnet)-4(-0|-2025\d+)?$)/;

/** Models that take a temperature. Later ones refuse it, by Anthropic's documentation. */
const WITH_TEMPERATURE = /^claude-(instant|[23]|(opus|sonnet|haiku)-4(-[0-6])?(-\d{8}|$))/;

const CACHED = { cache_control: { type: 'ephemeral' } } as const;

export const anthropic: Provider = {
  id: 'anthropic',
  variables: { key: 'ANTHROPIC_API_KEY', url: 'ANTHROPIC_BASE_URL', model: 'ANTHROPIC_MODEL' },
  read: (config) => {
    const { ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL, ANTHROPIC_MODEL } = AnthropicConfig.parse(config);
    return {
      chosen: ANTHROPIC_API_KEY !== undefined,
      missing: ANTHROPIC_API_KEY === undefined ? ['needs ANTHROPIC_API_KEY'] : [],
      apiKey: ANTHROPIC_API_KEY ?? null,
      baseURL: ANTHROPIC_BASE_URL ?? OWN_URL,
      model: ANTHROPIC_MODEL,
    };
  },
  open: async ({ model, apiKey, baseURL }) => {
    const { ChatAnthropic } = await import('@langchain/anthropic');
    return {
      client: ({ tools, object, options: { temperature, maxOutputTokens } }, fetch) => {
        const client = new ChatAnthropic({
          model,
          apiKey: apiKey ?? '',
          anthropicApiUrl: baseURL,
          maxRetries: 0,
          clientOptions: { fetch },
          // The SDK throws for objects of more tokens, because they do not stream and may take longer than its time-out.
          ...(maxOutputTokens === undefined
            ? {}
            : { maxTokens: object ? Math.min(maxOutputTokens, 8_192) : maxOutputTokens }),
          // The library throws for models that it believes to take none; the server knows better.
          ...(temperature === undefined ? {} : { invocationKwargs: { temperature } }),
        });
        if (!object) return tools.length > 0 ? client.bindTools(toOpenAiTools(tools)) : client;
        if (WITHOUT_SCHEMAS.test(model))
          return client.bindTools(toOpenAiTools([toForcedTool(object)]), {
            tool_choice: { type: 'tool', name: object.name },
          });
        return client.withConfig({
          outputConfig: { format: { type: 'json_schema', schema: toStrictSchema(object.schema) } },
        });
      },
      arrange: markForCache,
      endOf: ({ additional_kwargs: end }) => (typeof end['stop_reason'] === 'string' ? end['stop_reason'] : null),
      repeatsFirstCount: true,
      temperature: WITH_TEMPERATURE.test(model) ? 0 : undefined,
    };
  },
};

/**
 * Sets two cache breakpoints: after the constant part (tools and first part of the system message) and after the last message, where the
 * next pass continues. Identical bytes before a breakpoint are read from the cache.
 */
function markForCache(messages: readonly BaseMessage[]): BaseMessage[] {
  return messages.map((message, index) => {
    if (SystemMessage.isInstance(message)) return new SystemMessage({ content: markedParts(message, 'first') });
    if (index < messages.length - 1) return message;
    if (HumanMessage.isInstance(message)) return new HumanMessage({ content: markedParts(message, 'last') });
    if (!ToolMessage.isInstance(message)) return message;
    const { tool_call_id } = message;
    return new ToolMessage({ tool_call_id, content: markedParts(message, 'last') });
  });
}

function markedParts(message: BaseMessage, position: 'first' | 'last') {
  const texts = typeof message.content === 'string' ? [message.content] : collectTexts(message.content);
  const marked = position === 'first' ? 0 : texts.length - 1;
  return [
    ...texts.map((text, index) => ({ type: 'text' as const, text, ...(index === marked ? CACHED : {}) })),
    // Pictures are part of one call only, so they go after the cache breakpoint.
    ...(typeof message.content === 'string' ? [] : message.content.filter(({ type }) => type === 'image_url')),
  ];
}

function collectTexts(content: readonly unknown[]): readonly string[] {
  return content.flatMap((part) => {
    const block = z.object({ text: z.string() }).safeParse(part);
    return block.success ? [block.data.text] : [];
  });
}
