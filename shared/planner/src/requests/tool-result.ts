import { z } from 'zod';

/** The result of a tool call, as the planner reads it. */
export interface ToolResult {
  readonly ok: boolean;
  /** A sentence for people; null when the tool gave none. */
  readonly say: string | null;
  readonly code: string | null;
  /** Values in the error's sentence, such as kind and name. */
  readonly data: Readonly<Record<string, unknown>>;
  readonly result: unknown;
}

const Data = z.record(z.string(), z.unknown()).catch({});
const Body = z.object({
  ok: z.boolean(),
  result: z.unknown().optional(),
  say: z.string().nullable().catch(null),
  data: Data,
  /** Code of the error, from the catalog of errors. */
  error: z.string().nullable().catch(null),
});

/**
 * Reads a tool message: JSON {ok, result} or {ok, error, say, data}, with the sentence for people in `kwargs.say`. Plain text is the
 * result itself.
 */
export function readResult(content: string, kwargs: Readonly<Record<string, unknown>>): ToolResult {
  const phrase = typeof kwargs['say'] === 'string' && kwargs['say'].trim() !== '' ? kwargs['say'] : null;
  const json = parseJson(content);
  const body = Body.safeParse(json);
  if (!body.success) {
    const result = json === undefined ? content : json;
    return { ok: true, say: phrase, code: null, data: {}, result };
  }
  const { ok, say, error, data, result } = body.data;
  return { ok, say: phrase ?? say, code: error, data, result };
}

function parseJson(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    return undefined; // The caller then treats the content as plain text.
  }
}
