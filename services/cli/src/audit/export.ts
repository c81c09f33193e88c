import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { canonicalJson } from '@signalbox/safety/cards/canonical';
import { AppError } from '@signalbox/contracts/errors';
import { Checkpoint } from '@signalbox/safety/audit/checkpoint';
import type { AuditSources, ChainedEvent } from './sources.ts';

const HeadLine = z.object({ type: z.literal('log'), logId: z.string(), keys: z.array(z.string()) });
const EventLine = z.object({
  type: z.literal('event'),
  seq: z.int().positive(),
  leafHash: z.string(),
  hash: z.string(),
  event: z.json(),
});
const CheckpointExportLine = Checkpoint.extend({ type: z.literal('checkpoint') });
const Line = z.discriminatedUnion('type', [HeadLine, EventLine, CheckpointExportLine]);
type Line = z.infer<typeof Line>;

/** The first line of an export: which history it is, and the public keys in PEM as this installation has them. */
export function writeHead(logId: string, keys: readonly string[]): string {
  return canonicalJson({ type: 'log', logId, keys });
}

/** The line of an event. An event that is gone is null. `hash`es are in hexadecimal. */
export function writeEvent({ seq, json, leafHash, hash }: ChainedEvent): string {
  // Keys in canonical order; the event's own text is used as it is, so that what is odd about it stays visible.
  return `{"event":${json ?? 'null'},"hash":"${hash.toString('hex')}","leafHash":"${leafHash.toString('hex')}","seq":${seq},"type":"event"}`;
}

/** The line of a checkpoint of the database. It comes after the event that it reaches to. */
export function writeCheckpoint(checkpoint: Checkpoint): string {
  return canonicalJson({ ...checkpoint, type: 'checkpoint' });
}

/**
 * An export as a source for the verifier. Whatever is in a line beside what an export writes makes its event another one.
 * Throws AUDIT_EXPORT_UNREADABLE for a line that is not one of an export.
 */
export async function openExport(file: string): Promise<Pick<AuditSources, 'logId' | 'events' | 'inside'>> {
  const head = await readLines(file).next();
  if (head.done || head.value.line.type !== 'log')
    throw new AppError('AUDIT_EXPORT_UNREADABLE', { file, line: '1', detail: 'an export begins with its history' });
  const logId = head.value.line.logId;
  return {
    logId,
    events: async function* () {
      for await (const { line, text } of readLines(file)) if (line.type === 'event') yield toChainedEvent(line, text);
    },
    inside: async function* () {
      for await (const { line } of readLines(file)) if (line.type === 'checkpoint') yield line;
    },
  };
}

function toChainedEvent(line: Extract<Line, { type: 'event' }>, text: string): ChainedEvent {
  const read: ChainedEvent = {
    seq: line.seq,
    json: line.event === null ? null : (toCanonical(line.event) ?? text),
    leafHash: Buffer.from(line.leafHash, 'hex'),
    hash: Buffer.from(line.hash, 'hex'),
  };
  return writeEvent(read) === text ? read : { ...read, json: text };
}

/** Null for what has no canonical form, such as half a surrogate pair: we never wrote that. */
function toCanonical(event: z.infer<typeof EventLine>['event']): string | null {
  try {
    return canonicalJson(event);
  } catch {
    return null;
  }
}

async function* readLines(file: string): AsyncGenerator<{ readonly line: Line; readonly text: string }> {
  const lines = createInterface({ input: createReadStream(file), crlfDelay: Infinity });
  let number = 0;
  try {
    for await (const text of lines) {
      number += 1;
      if (text === '') continue;
      yield { line: parseLine(file, number, text), text };
    }
  } finally {
    lines.close();
  }
}

function parseLine(file: string, number: number, text: string): Line {
  let detail = 'it is not JSON';
  try {
    const parsed = Line.safeParse(JSON.parse(text));
    if (parsed.success) return parsed.data;
    detail = 'it is no line of an audit export';
  } catch {
    // said below
  }
  throw new AppError('AUDIT_EXPORT_UNREADABLE', { file, line: String(number), detail });
}
