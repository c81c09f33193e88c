import type { AIMessageChunk } from '@langchain/core/messages';
import { parseJson } from '@signalbox/contracts/system-error';

/** A tool call as the server sent it, unrepaired: client libraries repair incomplete JSON, but an unfinished call must not run. */
export interface RawToolCall {
  readonly name: string;
  /** The arguments as JSON text, which may be incomplete. */
  readonly args: string;
}

/** A part of a tool call, as one piece of a stream brought it. */
export interface CallPart {
  readonly call: RawToolCall;
  readonly args: string;
}

interface OpenCall extends RawToolCall {
  readonly id: string;
  args: string;
}

/** Collects the tool calls of a streamed answer. Servers repeat ids and indexes of calls, or send none. */
export function createCallReader(): {
  /** Takes a piece and returns its parts, each with the call that it belongs to. */
  take(piece: AIMessageChunk): readonly CallPart[];
  calls(): readonly RawToolCall[];
} {
  const calls: OpenCall[] = [];
  const current = new Map<number, OpenCall>();
  const begin = (call: OpenCall): CallPart => {
    calls.push(call);
    return { call, args: call.args };
  };
  return {
    take: (piece) => {
      const chunks = piece.tool_call_chunks ?? [];
      // Some client libraries deliver calls in one piece, parsed already.
      if (chunks.length === 0)
        return (piece.tool_calls ?? []).map(({ id = '', name, args }) =>
          begin({ id, name, args: JSON.stringify(args) }),
        );
      return chunks.map((chunk) => {
        const { index } = chunk;
        const part = { id: chunk.id ?? '', name: chunk.name ?? '', args: chunk.args ?? '' };
        const named = calls.findLast(({ id }) => id !== '' && id === part.id);
        const open = index === undefined ? (named ?? calls.at(-1)) : current.get(index);
        if (open && !beginsAnother(open, part)) {
          open.args += part.args;
          return { call: open, args: part.args };
        }
        const begun = begin(part);
        if (index !== undefined) current.set(index, part);
        return begun;
      });
    },
    calls: () => calls,
  };
}

/**
 * True when a piece starts another call. A piece without a name continues the open call, because some servers send a new id with every
 * piece.
 */
function beginsAnother(open: OpenCall, { id, name, args }: OpenCall): boolean {
  if (name === '') return false;
  if (name !== open.name || (id && open.id && id !== open.id)) return true;
  return readArguments(open.args) !== null && open.args.trim() !== '' && args.trim() !== '';
}

/** Parses the arguments of a call; null when the text is no complete JSON object. Empty text means no arguments. */
export function readArguments(args: string): Record<string, unknown> | null {
  const parsed: unknown = args.trim() === '' ? {} : parseJson(args);
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return null;
  return parsed as Record<string, unknown>; // JSON.parse gave an object
}
