import type { AIMessageChunk } from '@langchain/core/messages';
import { parseJson } from '@signalbox/contracts/system-error';

/** A call of a tool as its server sent it: clients repair half JSON, and what a model did not finish must not run. */
export interface SentCall {
  readonly name: string;
  /** JSON, if it is whole. */
  readonly args: string;
}

interface OpenCall {
  readonly name: string;
  readonly id: string | undefined;
  args: string;
}

/** Gathers the calls of an answer that comes in pieces. Ids and indexes of servers repeat, and some send none. */
export function createCallReader(): { take(piece: AIMessageChunk): void; calls(): readonly SentCall[] } {
  const calls: OpenCall[] = [];
  /** The call that goes on at an index. */
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
      // Some clients give calls in one piece only, which their server sent as objects.
      for (const { id, name, args } of chunks.length === 0 ? (piece.tool_calls ?? []) : [])
        begin(name, id, JSON.stringify(args));
    },
    calls: () => calls,
  };
}

/** A piece without a name goes on, whatever its id: some servers make a new id for every piece. */
function beginsAnother(open: OpenCall, { id, name, args }: Omit<OpenCall, 'id'> & Pick<OpenCall, 'id'>): boolean {
  if (name === '') return false;
  if (name !== open.name || (id && open.id && id !== open.id)) return true;
  return readArguments(open.args) !== null && open.args.trim() !== '' && args.trim() !== '';
}

/** The arguments of a call; null when they are no whole JSON object. Nothing at all stands for no arguments. */
export function readArguments(args: string): Record<string, unknown> | null {
  const parsed: unknown = args.trim() === '' ? {} : parseJson(args);
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return null;
  return parsed as Record<string, unknown>; // an object of JSON
}
