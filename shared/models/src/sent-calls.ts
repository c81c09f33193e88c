import type { AIMessageChunk } from '@langchain/core/messages';
import { parseJson } from '@signalbox/contracts/system-error';

/** A tool call as the server sent it, unrepaired: client libraries repair incomplete JSON, but an unfinished call must not run. */
export interface RawToolCall {
  readonly name: string;
  /** The arguments as JSON text, which may be incomplete. */
  readonly args: string;
}

interface OpenCall {
  readonly name: string;
  readonly id: string | undefined;
  args: string;
}

/** Collects the tool calls of a streamed answer. Servers repeat ids and indexes of calls, or send none. */
export function createCallReader(): { take(piece: AIMessageChunk): void; calls(): readonly RawToolCall[] } {
  const calls: OpenCall[] = [];
  const current = new Map<number, OpenCall>();
  const begin = (name: string, id: string | undefined, args: string): OpenCall => {
    const call = { name, id, args };
    calls.push(call);
    return call;
  };
  return {
    take: (piece) => {
      const chunks = piece.tool_call_chunks ?? [];
      for (const { index, id, name = '', args = '' } of chunks) {
        const open = index === undefined ? calls.at(-1) : current.get(index);
        if (open && !beginsAnother(open, { id, name, args })) open.args += args;
        else {
          const call = begin(name, id, args);
          if (index !== undefined) current.set(index, call);
        }
      }
      // Some client libraries deliver calls in one piece, parsed already.
      for (const { id, name, args } of chunks.length === 0 ? (piece.tool_calls ?? []) : [])
        begin(name, id, JSON.stringify(args));
    },
    calls: () => calls,
  };
}

/**
 * True when a piece starts another call. A piece without a name continues the open call, because some servers send a new id with every
 * piece.
 */
function beginsAnother(open: OpenCall, { id, name, args }: Omit<OpenCall, 'id'> & Pick<OpenCall, 'id'>): boolean {
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
