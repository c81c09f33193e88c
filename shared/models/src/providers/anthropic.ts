import { AIMessage, HumanMessage, SystemMessage, ToolMessage, type BaseMessage } from '@langchain/core/messages';
import { z } from 'zod';
import { toStrictSchema } from './object-schema.ts';
import { mergeLaterSystem, toOpenAiTools, toForcedTool, type Provider } from './provider.ts';

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
 * Sets the cache breakpoints, four at most: after the constant part (tools and first part of the system message), after what precedes
 * the facts of the moment, in this turn and in the one before, and after the last message, where the next pass continues. Identical
 * bytes before a breakpoint are read from the cache; Anthropic looks for them at most 20 blocks before one.
 */
function markForCache(messages: readonly BaseMessage[]): BaseMessage[] {
  const facts = messages.findLastIndex((message, place) => place > 0 && SystemMessage.isInstance(message));
  const earlier = messages.slice(0, Math.max(0, facts)).findLastIndex((message) => HumanMessage.isInstance(message));
  const ends = facts === -1 ? [messages.length] : [messages.length, facts, earlier];
  const places = new Set(ends.map((end) => messages.slice(0, Math.max(0, end)).findLastIndex(mayBeMarked)));
  const [first, ...rest] = messages.map((message, place) => toBlocks(message, places.has(place)));
  if (!first || !SystemMessage.isInstance(first)) return mergeLaterSystem(first ? [first, ...rest] : []);
  return [new SystemMessage({ content: markParts(first, 'first') }), ...mergeLaterSystem(rest)];
}

/** True for messages that hold a text; a breakpoint cannot follow an empty one. */
function mayBeMarked(message: BaseMessage): boolean {
  if (message.text.trim() === '') return false;
  if (AIMessage.isInstance(message)) return (message.tool_calls ?? []).length === 0;
  return HumanMessage.isInstance(message) || ToolMessage.isInstance(message);
}

/** Converts a message to blocks, marked or not: the cache knows a message again only in the same form. */
function toBlocks(message: BaseMessage, isMarked: boolean): BaseMessage {
  if (HumanMessage.isInstance(message))
    return new HumanMessage({ content: markParts(message, isMarked ? 'last' : null) });
  if (ToolMessage.isInstance(message)) {
    const { tool_call_id: tool_use_id, text: content } = message;
    // Anthropic refuses a mark within the content of a result.
    const result = { type: 'tool_result', tool_use_id, content, ...(isMarked ? CACHED : {}) };
    return new HumanMessage({ content: [result] });
  }
  if (!AIMessage.isInstance(message) || message.text === '' || (message.tool_calls ?? []).length > 0) return message;
  return new AIMessage({ content: markParts(message, isMarked ? 'last' : null) });
}

function markParts(message: BaseMessage, position: 'first' | 'last' | null) {
  const all = typeof message.content === 'string' ? [message.content] : collectTexts(message.content);
  const texts = all.filter((text) => text !== ''); // Anthropic refuses empty blocks
  const marked = position === 'first' ? 0 : texts.length - 1;
  return [
    ...texts.map((text, index) => ({
      type: 'text' as const,
      text,
      ...(position !== null && index === marked ? CACHED : {}),
    })),
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
