import type { Channel } from '@signalbox/gateway/channels/channel';

/** A channel, the platform that it speaks with, and a person at the other end. */
export interface ChannelBench extends Partial<BenchHooks> {
  readonly channel: Channel;
  /** The person's private chat with us. */
  readonly chatKey: string;
  /** The key of a person who has written to us; `say` speaks as them. */
  readonly userKey: string;
  say(text: string): Promise<void>;
  /** What this person sees of us now, oldest first. */
  seen(): Promise<readonly string[]>;
  /** Closes all but the listener. Works after `disconnect` too. */
  close(): Promise<void>;
}

/** What a bench can do besides. A hook that it leaves out belongs to a feature that it declares as lacking. */
export interface BenchHooks {
  /** Opens the channel anew, as a gateway does that was restarted: it shares no memory with the former one, which is closed. */
  reopen(): Promise<Channel>;
  /** The platform brings what it brought last once more, as one does that has not heard our answer. */
  redeliver(): Promise<void>;
  /** The person changes the words of their last message. */
  edit(text: string): Promise<void>;
  /** The person presses the button with this label. Rejects unless they see exactly one. */
  press(label: string): Promise<void>;
  /** Whether the last press has been answered, so that its button does not spin any more. */
  isAnswered(): Promise<boolean>;
  sendFile(file: BenchFile): Promise<void>;
  /** The files that this person was sent, oldest first. */
  files(): Promise<readonly BenchFile[]>;
  /** The person does not want to hear of us any more. */
  block(): Promise<void>;

  // What the platform does with the next send.
  /** It asks to wait so long, and does nothing. */
  makeWait(ms: number): Promise<void>;
  /** It says that the chat goes on elsewhere. Answers the new key. */
  move(): Promise<string>;
  /** It takes the message, and its answer is lost. */
  loseAnswer(): Promise<void>;
  /** It answers that it has a problem of its own. */
  breakDown(): Promise<void>;
  /** It answers that it does not take such a message. */
  refuse(): Promise<void>;
  /** Something on the way answers in its place, with what is no answer of the platform's. */
  answerNonsense(): Promise<void>;

  /** From now on nothing listens where the platform was. */
  disconnect(): Promise<void>;
}

export interface BenchFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** The file that the suite has sent. A bench whose channel sends files reads it with `loadArtifact`. */
export const ARTIFACT = { artifactId: 'art_contract', name: 'report.csv', bytes: Buffer.from('day,visits\n1,20\n') };

/** Looks up a file as the store does; null when it is not there. */
export async function loadArtifact(artifactId: string): Promise<{ readonly bytes: Uint8Array } | null> {
  return artifactId === ARTIFACT.artifactId ? { bytes: ARTIFACT.bytes } : null;
}

/** What not every platform has: the hooks by which a bench shows it, and the methods of the channel that it takes. */
export const FEATURES = {
  restarts: { hooks: ['reopen'], methods: [] },
  repeats: { hooks: ['redeliver'], methods: [] },
  edits: { hooks: ['edit'], methods: [] },
  buttons: { hooks: ['press'], methods: [] },
  'answers to presses': { hooks: ['isAnswered'], methods: ['answerPress'] },
  'removal of buttons': { hooks: [], methods: ['removeButtons'] },
  changes: { hooks: [], methods: ['edit'] },
  removal: { hooks: [], methods: ['remove'] },
  'files of people': { hooks: ['sendFile'], methods: ['fetchFile'] },
  'files for people': { hooks: ['files'], methods: [] },
  links: { hooks: [], methods: ['link'] },
  blocks: { hooks: ['block'], methods: [] },
  waits: { hooks: ['makeWait'], methods: [] },
  moves: { hooks: ['move'], methods: [] },
  'lost answers': { hooks: ['loseAnswer'], methods: [] },
  breakdowns: { hooks: ['breakDown'], methods: [] },
  refusals: { hooks: ['refuse'], methods: [] },
  nonsense: { hooks: ['answerNonsense'], methods: [] },
  disconnection: { hooks: ['disconnect'], methods: [] },
} as const satisfies Readonly<
  Record<string, { readonly hooks: readonly (keyof BenchHooks)[]; readonly methods: readonly (keyof Channel)[] }>
>;

export type Feature = keyof typeof FEATURES;

/** The features that a channel does not have, each with the reason. */
export type Lacks = Readonly<Partial<Record<Feature, string>>>;

/** A channel's bench, as its file in `benches/` exports it. */
export interface BenchKind {
  /** The channel's name. */
  readonly channel: string;
  readonly lacks: Lacks;
  /** A platform of its own with the channel, for one rule. */
  open(): Promise<ChannelBench>;
}

/** What a bench says of a feature and does not keep; null when all is well. */
export function findContradiction(bench: ChannelBench, lacks: Lacks, feature: Feature): string | null {
  const { hooks, methods } = FEATURES[feature];
  const reason = lacks[feature];
  const missing = [
    ...hooks.filter((hook) => bench[hook] === undefined).map((hook) => `the hook ${hook}`),
    ...methods.filter((method) => bench.channel[method] === undefined).map((method) => `the method ${method}`),
  ];
  if (reason === undefined)
    return missing.length === 0 ? null : `${feature}: ${missing.join(' and ')} is missing, and no reason is given`;
  if (reason.trim().length < 10) return `${feature}: '${reason}' is no reason`;
  const hasMethod = methods.some((method) => bench.channel[method] !== undefined);
  // A platform may have one without the other: what it can show has to be shown.
  return missing.length === 0 || hasMethod ? `${feature}: it is declared as lacking, and is there` : null;
}
