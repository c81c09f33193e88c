import { z } from 'zod';

/** What came of a tool call. */
export interface ToolResult {
  readonly ok: boolean;
  /** A phrase for people, when there is one. */
  readonly say: string | null;
  readonly code: string | null;
  /** The fields of the error's sentence, such as kind and name. */
  readonly data: Readonly<Record<string, unknown>>;
  readonly result: unknown;
}

const Data = z.record(z.string(), z.unknown()).catch({});
const Body = z.object({
  ok: z.boolean(),
  result: z.unknown().optional(),
  say: z.string().nullable().catch(null),
  data: Data,
  /** The code of the failure. */
  error: z.string().nullable().catch(null),
});

/** Reads a tool message: JSON {ok, result} or {ok, error, say, data} with the phrase for people in `kwargs.say`. Plain text is taken as it is. */
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

const LINES = 12;

/** A result that has no phrase of its own, compactly, for people: one line per item or field. */
export function renderResult(value: unknown): string {
  if (value === null || value === undefined || value === '') return 'Done.';
  if (Array.isArray(value)) {
    if (value.length === 0) return 'Nothing.';
    const rest = value.length > LINES ? [`… and ${value.length - LINES} more`] : [];
    return [...value.slice(0, LINES).map((item) => `- ${inline(item)}`), ...rest].join('\n');
  }
  if (typeof value !== 'object') return String(value);
  const entries = Object.entries(value);
  const [only] = entries;
  if (entries.length === 1 && only && Array.isArray(only[1])) return renderResult(only[1]);
  if (entries.length === 0) return 'Done.';
  const shown = entries.slice(0, LINES).map(([key, item]) => `- ${key}: ${inline(item)}`);
  return shown.join('\n');
}

function inline(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  const parts = Array.isArray(value)
    ? value.map(inline)
    : Object.entries(value).map((pair) => pair.map(inline).join(' '));
  return parts.join(', ');
}

function parseJson(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    return undefined; // not JSON: the caller shows the text
  }
}
