import { z } from 'zod';
import { serveModel, type ModelServer } from '../support/model-server.ts';

/** What whoever sits in the seat of the model answers: words, calls, or an error with its status. */
export const Answer = z.strictObject({
  content: z.string().optional(),
  /** Arguments that are a text are sent as they are, also when they are no whole JSON. */
  tool_calls: z.array(z.strictObject({ name: z.string(), arguments: z.unknown().default({}) })).optional(),
  finish_reason: z.string().optional(),
  status: z.int().optional(),
  error: z.string().optional(),
});
export type Answer = z.infer<typeof Answer>;

/** Decides the answer to a request, whose number counts from 1. Gets an aborted signal when nobody waits any more. */
export type Decide = (request: {
  readonly n: number;
  readonly body: string;
  readonly gone: AbortSignal;
}) => Promise<Answer>;

/** Opens a server on this machine that speaks as OpenAI's does and asks `decide` for each answer. `after`: requests before. */
export function openSeat(decide: Decide, after = 0): Promise<ModelServer> {
  let n = after;
  return serveModel(async ({ path, body, gone }) => {
    const json = (value: object) => ({ raw: { body: JSON.stringify(value), type: 'application/json' } });
    const isVoice = path.endsWith('/audio/transcriptions');
    if (!isVoice && !path.endsWith('/chat/completions')) return { status: 404, ...json({}) };
    n += 1;
    // A voice note is a request as well: whoever sits here says what was heard.
    const asked = isVoice ? JSON.stringify({ voice: 'say in `content` what was heard' }) : body;
    const { status, error, content, tool_calls, finish_reason } = await decide({ n, body: asked, gone });
    if (status !== undefined) return { status, ...json({ error: { message: error ?? '', type: 'seat' } }) };
    if (isVoice) return json({ text: content ?? '' });
    const toolCalls = (tool_calls ?? []).map(({ name, arguments: args }) => ({ name, args }));
    return { content, toolCalls, finishReason: finish_reason };
  });
}

/** What a product needs to know of the seat; whoever sits there may think for as long as the settings allow. */
export function listSeatVariables({ url }: Pick<ModelServer, 'url'>): Readonly<Record<string, string>> {
  const model = { MODEL: 'openai:gpt-4.1', OPENAI_BASE_URL: url, OPENAI_API_KEY: 'none' };
  const times = { MODEL_TIMEOUT_MS: '600000', MODEL_DEADLINE_MS: '3600000', TRANSCRIPTION_TIMEOUT_MS: '600000' };
  return { ...model, ...times, TRANSCRIPTION_URL: url };
}
