import { BaseMessage } from '@langchain/core/messages';
import type { ChannelVersions, Checkpoint, CheckpointTuple, SerializerProtocol } from '@langchain/langgraph-checkpoint';
import { decodeMessage, encodeMessage } from './message-json.ts';

/*
 * The row format of a conversation in LangGraph's tables. A row of `checkpoints` holds the small values. Each message is a row of
 * `checkpoint_blobs`, numbered within its thread and written once; the checkpoint lists its message numbers as ranges. So a turn writes
 * only what is new, however long the conversation is. Rows of LangGraph's own saver are read unchanged.
 */

/** Fields of our checkpoints beyond LangGraph's. */
interface Body {
  readonly values: Readonly<Record<string, string>>;
  /** Message numbers by channel: the first and last of each range, in pairs. */
  readonly messages: Readonly<Record<string, readonly number[]>>;
  /** The highest message number of this thread. */
  readonly numbered: number;
}

/** Rows of `checkpoint_blobs`, one array per column: channel, version, type, bytes. */
export type BlobColumns = readonly [string[], string[], string[], (Buffer | null)[]];

type ReadRows = (channel: string, pattern: string) => Promise<readonly { version: string; blob: Buffer }[]>;

const ROW = 'message-';

/** True when a checkpoint has this format instead of LangGraph's own. */
export function isIncrementalFormat(checkpoint: object): checkpoint is Checkpoint & Body {
  return 'numbered' in checkpoint;
}

/** Caches one thread's message numbers and small values. */
export class ThreadRows {
  readonly #serde: SerializerProtocol;
  readonly #numbers = new WeakMap<BaseMessage, number>();
  readonly #texts = new Map<string, { readonly version: unknown; readonly text: string }>();
  #stored: ReadonlyMap<string, unknown> = new Map();
  #encoded: ReadonlyMap<string, unknown> = new Map();
  #unstored: { readonly channel: string; readonly number: number; readonly message: BaseMessage }[] = [];
  #numbered = 0;

  constructor(serde: SerializerProtocol) {
    this.#serde = serde;
  }

  /**
   * Encodes a checkpoint's body as JSON, and the rows it needs that are not stored yet. `changed`: versions since the newest stored
   * checkpoint. `emptied`: channels whose list is stored empty; for a missing channel LangGraph would read every earlier checkpoint. By
   * LangGraph's contract a value that neither changed nor was stored is left out.
   */
  async encode(
    checkpoint: Checkpoint,
    changed: ChannelVersions,
    emptied: readonly string[],
  ): Promise<{ readonly body: string; readonly blobs: BlobColumns }> {
    const { channel_values, channel_versions: versions, ...rest } = checkpoint;
    const fields = { ...rest, channel_versions: versions };
    const isThere = ([channel]: [string, unknown]): boolean =>
      channel in changed || (this.#stored.has(channel) && this.#stored.get(channel) === versions[channel]);
    const all = Object.entries(channel_values).filter(isThere);
    this.#encoded = new Map(all.map(([channel]) => [channel, versions[channel]]));
    const values: Record<string, string> = {};
    const messages: Record<string, number[]> = {};
    const blobs: BlobColumns = [[], [], [], []];
    for (const [channel, value] of all) {
      if (isMessages(value)) messages[channel] = this.#rangesOf(channel, value);
      else if (value instanceof Uint8Array) addBlob(blobs, channel, String(versions[channel]), 'bytes', value);
      else if (emptied.includes(channel)) values[channel] = '[]';
      else values[channel] = await this.#textOf(channel, value, versions[channel]);
    }
    for (const { channel, number, message } of this.#unstored) {
      addBlob(blobs, channel, `${ROW}${number}`, 'json', await encodeMessage(message, this.#serde));
    }
    const body: Omit<Checkpoint, 'channel_values'> & Body = { ...fields, values, messages, numbered: this.#numbered };
    return { body: JSON.stringify(body), blobs };
  }

  stored(): void {
    this.#unstored = [];
    this.#stored = this.#encoded;
  }

  /** Restores the values of our checkpoints; other tuples are returned unchanged. */
  async decode(tuple: CheckpointTuple, readRows: ReadRows): Promise<CheckpointTuple> {
    const read = await this.#read(tuple, readRows);
    const { channel_values: all, channel_versions: versions } = read.checkpoint;
    this.#stored = new Map(Object.keys(all).map((channel) => [channel, versions[channel]]));
    return read;
  }

  async #read(tuple: CheckpointTuple, readRows: ReadRows): Promise<CheckpointTuple> {
    if (!isIncrementalFormat(tuple.checkpoint)) return tuple;
    const { values, messages, numbered, ...checkpoint } = tuple.checkpoint;
    const all: Record<string, unknown> = { ...checkpoint.channel_values };
    for (const [channel, text] of Object.entries(values)) {
      all[channel] = await this.#serde.loadsTyped('json', text);
      this.#texts.set(channel, { version: checkpoint.channel_versions[channel], text });
    }
    for (const [channel, ranges] of Object.entries(messages)) {
      const rows = new Map((await readRows(channel, `${ROW}%`)).map(({ version, blob }) => [version, blob]));
      all[channel] = await Promise.all(
        numbersIn(ranges).map(async (number) => {
          const row = rows.get(`${ROW}${number}`);
          if (!row) throw new Error(`message ${number} of a conversation has no row`);
          const message = await decodeMessage(row.toString(), this.#serde);
          this.#numbers.set(message, number);
          return message;
        }),
      );
    }
    this.#numbered = numbered;
    return { ...tuple, checkpoint: { ...checkpoint, channel_values: all } };
  }

  #rangesOf(channel: string, messages: readonly BaseMessage[]): number[] {
    const ranges: number[] = [];
    for (const message of messages) {
      const number = this.#numberOf(channel, message);
      if (ranges.at(-1) === number - 1) ranges[ranges.length - 1] = number;
      else ranges.push(number, number);
    }
    return ranges;
  }

  /** LangGraph never changes a message, so the object identifies its row. */
  #numberOf(channel: string, message: BaseMessage): number {
    const known = this.#numbers.get(message);
    if (known !== undefined) return known;
    const number = ++this.#numbered;
    this.#numbers.set(message, number);
    this.#unstored.push({ channel, number, message });
    return number;
  }

  async #textOf(channel: string, value: unknown, version: unknown): Promise<string> {
    const known = this.#texts.get(channel);
    if (known && version !== undefined && known.version === version) return known.text;
    const [, bytes] = await this.#serde.dumpsTyped(value);
    const text = Buffer.from(bytes).toString();
    this.#texts.set(channel, { version, text });
    return text;
  }
}

function isMessages(value: unknown): value is readonly BaseMessage[] {
  return Array.isArray(value) && value.length > 0 && value.every((one) => BaseMessage.isInstance(one));
}

function numbersIn(ranges: readonly number[]): readonly number[] {
  const numbers: number[] = [];
  for (let at = 0; at < ranges.length; at += 2)
    for (let number = ranges[at] ?? 0; number <= (ranges[at + 1] ?? -1); number++) numbers.push(number);
  return numbers;
}

/** Adds a row; null bytes mean that the channel is empty. */
export function addBlob(
  blobs: BlobColumns,
  channel: string,
  version: string,
  type: string,
  bytes: Uint8Array | null,
): void {
  blobs[0].push(channel);
  blobs[1].push(version);
  blobs[2].push(type);
  blobs[3].push(bytes && Buffer.from(bytes));
}
