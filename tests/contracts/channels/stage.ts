import type { OutboundBody } from '@signalbox/contracts/conversation/envelope';
import type { Channel, IncomingUpdate, ChannelListener, SendResult } from '@signalbox/gateway/channels/channel';
import { until } from '../../support/until.ts';
import type { BenchHooks, ChannelBench, Feature } from './bench.ts';

/** Something that a channel promises. */
export interface Rule {
  /** What a reader needs to know when it is broken; the channel is the subject. */
  readonly sentence: string;
  /** Without these there is nothing to check. */
  readonly needs?: readonly Feature[];
  /** Throws when the rule is broken. */
  readonly check: (stage: Stage) => Promise<void>;
}

/** The rows of one test have numbers of their own. */
const FIRST_ROW = 41;

/** One rule's bench, with a gateway's part in the play. */
export class Stage {
  readonly bench: ChannelBench;
  #channel: Channel;
  #listening: ChannelListener | null = null;
  #rows = FIRST_ROW;

  constructor(bench: ChannelBench) {
    this.bench = bench;
    this.#channel = bench.channel;
  }

  get channel(): Channel {
    return this.#channel;
  }

  /** A hook of the bench. A rule that uses it names the feature in `needs`. */
  hook<Name extends keyof BenchHooks>(name: Name): BenchHooks[Name] {
    const found = this.bench[name];
    if (found === undefined) throw new Error(`the bench has no ${name}, and a rule needs it`);
    return found as BenchHooks[Name]; // the line above leaves nothing else
  }

  /** Listens; what `isStored` refuses has to come again. Answers what was stored, which grows. */
  listen(isStored: (update: IncomingUpdate) => boolean = () => true): IncomingUpdate[] {
    const stored: IncomingUpdate[] = [];
    this.#listening = this.#channel.listen(async (updates) => {
      if (!updates.every(isStored)) throw new Error('not stored');
      stored.push(...updates);
    });
    return stored;
  }

  get listening(): ChannelListener {
    if (this.#listening === null) throw new Error('nothing listens');
    return this.#listening;
  }

  async stopListening(): Promise<void> {
    await this.#listening?.close();
  }

  /** Another gateway opens the channel; what this one had in memory is gone. */
  async restart(): Promise<void> {
    await this.stopListening();
    this.#channel = await this.hook('reopen')();
  }

  /** The chat of a person who has written to us. Answers with everything that is stored from now on. */
  async meet(): Promise<{ readonly chatKey: string; readonly stored: IncomingUpdate[] }> {
    const stored = this.listen();
    await this.bench.say('hello');
    await until(() => collectTexts(stored).length > 0);
    return { chatKey: this.bench.chatKey, stored };
  }

  /** The parts of a new row. */
  encode(body: Partial<OutboundBody>, simpleFrom: number | null = null): readonly unknown[] {
    const row = { chatKey: this.bench.chatKey, outboxId: (this.#rows += 1), simpleFrom };
    return this.#channel.encode({ text: 'Well.', buttons: [], ...body }, row);
  }

  /** The number of the row that was encoded last, as it stands in a press. */
  get row(): string {
    return String(this.#rows);
  }

  /** Sends a row and answers the ids of its messages. Fails when a part is not taken. */
  async send(body: Partial<OutboundBody>, simpleFrom: number | null = null): Promise<readonly string[]> {
    const ids: string[] = [];
    for (const part of this.encode(body, simpleFrom)) {
      const sent = await this.#channel.send(this.bench.chatKey, part, null);
      if (sent.kind !== 'sent') throw new Error(`the part was not taken: ${JSON.stringify(sent)}`);
      ids.push(sent.messageId);
    }
    return ids;
  }

  /** Sends one part and answers what became of it. */
  attempt(text: string, firstLine: string | null = null): Promise<SendResult> {
    const [part] = this.encode({ text });
    return this.#channel.send(this.bench.chatKey, part, firstLine);
  }

  /** All that the person sees, as one text. */
  async shown(): Promise<string> {
    return (await this.bench.seen()).join('\n');
  }

  async close(): Promise<void> {
    await this.stopListening();
    await this.bench.close();
  }
}

export function collectTexts(updates: readonly IncomingUpdate[]): readonly Extract<IncomingUpdate, { kind: 'text' }>[] {
  return updates.filter((update) => update.kind === 'text');
}

export function pressesOf(updates: readonly IncomingUpdate[]): readonly Extract<IncomingUpdate, { kind: 'press' }>[] {
  return updates.filter((update) => update.kind === 'press');
}
