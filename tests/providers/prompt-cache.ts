import { z } from 'zod';
import type { WireRewrite } from '../support/model-wire.ts';

/** The tokens of one request, as the server of a provider with a cache counts them. */
export interface CacheCounts {
  readonly inputTokens: number;
  readonly cachedTokens: number;
  readonly writtenTokens: number;
}

export interface PromptCache {
  /** Puts the counts of the cache into an answer. */
  readonly rewrite: WireRewrite;
  counts(): readonly CacheCounts[];
}

/** Providers cache from so many tokens on; four characters stand for a token. */
const LEAST_TOKENS = 1_024;
const toTokens = (text: string): number => Math.floor(text.length / 4);

/** OpenAI's documented cache: the longest beginning that an earlier request had, in steps of 128 tokens. */
export function createOpenAiCache(): PromptCache {
  const earlier: string[] = [];
  return createCache(
    ({ tools, messages }) => {
      const text = JSON.stringify(tools ?? []) + JSON.stringify(messages);
      const shared = Math.max(0, ...earlier.map((other) => toTokens(text.slice(0, findDifference(text, other)))));
      earlier.push(text);
      const cachedTokens = shared < LEAST_TOKENS ? 0 : shared - (shared % 128);
      return { inputTokens: toTokens(text), cachedTokens, writtenTokens: 0 };
    },
    (answer, { inputTokens, cachedTokens }) =>
      answer.replace(
        /"usage":\{"prompt_tokens":\d+,"completion_tokens":(\d+)[^}]*\}/,
        (_, output: string) =>
          `"usage":${JSON.stringify({ prompt_tokens: inputTokens, completion_tokens: Number(output), total_tokens: inputTokens + Number(output), prompt_tokens_details: { cached_tokens: cachedTokens } })}`,
      ),
  );
}

const Block = z.looseObject({ cache_control: z.unknown().optional() });
const Blocks = z.union([
  z.string().transform((text): z.infer<typeof Block>[] => [{ type: 'text', text }]),
  z.array(Block),
]);
const AnthropicRequest = z.object({
  tools: z.array(Block).default([]),
  system: Blocks,
  messages: z.array(z.object({ role: z.string(), content: Blocks })),
});
/** So many blocks before a breakpoint are looked at, by Anthropic's documentation. */
const LOOKBACK_BLOCKS = 20;

/** Anthropic's documented cache: written at breakpoints, four at most, and read at a breakpoint or shortly before one. */
export function createAnthropicCache(): PromptCache {
  const known = new Set<string>();
  return createCache(
    (body) => {
      const { tools, system, messages } = AnthropicRequest.parse(body);
      const blocks = [...tools, ...system, ...messages.flatMap(({ content }) => content)];
      const marked = blocks.flatMap(({ cache_control: mark }, place) => (mark === undefined ? [] : [place]));
      if (marked.length > 4) throw new Error(`${marked.length} breakpoints, which Anthropic refuses`);
      const deeper = blocks.filter((block) =>
        JSON.stringify({ ...block, cache_control: undefined }).includes('cache_control'),
      );
      if (deeper.length > 0) throw new Error('a breakpoint within a block, which Anthropic refuses');
      let text = '';
      const prefixes = blocks.map((block) => (text += JSON.stringify({ ...block, cache_control: undefined })));
      const near = prefixes.filter((_, place) =>
        marked.some((mark) => place <= mark && place > mark - LOOKBACK_BLOCKS),
      );
      const cachedTokens = Math.max(0, ...near.filter((prefix) => known.has(prefix)).map(toTokens));
      const written = marked.map((mark) => prefixes[mark] ?? '').filter((prefix) => toTokens(prefix) >= LEAST_TOKENS);
      written.forEach((prefix) => known.add(prefix));
      const writtenTokens = Math.max(0, ...written.map((prefix) => toTokens(prefix) - cachedTokens));
      return { inputTokens: toTokens(text), cachedTokens, writtenTokens };
    },
    (answer, { inputTokens, cachedTokens, writtenTokens }) =>
      answer.replace(
        /"usage":\{"input_tokens":\d+,"output_tokens":(\d+)\}/,
        (_, output: string) =>
          `"usage":${JSON.stringify({ input_tokens: inputTokens - cachedTokens - writtenTokens, cache_creation_input_tokens: writtenTokens, cache_read_input_tokens: cachedTokens, output_tokens: Number(output) })}`,
      ),
  );
}

function createCache(
  count: (body: Parameters<WireRewrite>[0]) => CacheCounts,
  put: (answer: string, counts: CacheCounts) => string,
): PromptCache {
  const all: CacheCounts[] = [];
  return {
    rewrite: (body, answer) => {
      const counts = count(body);
      all.push(counts);
      return put(answer, counts);
    },
    counts: () => all,
  };
}

function findDifference(one: string, other: string): number {
  let place = 0;
  while (place < one.length && one[place] === other[place]) place += 1;
  return place;
}
