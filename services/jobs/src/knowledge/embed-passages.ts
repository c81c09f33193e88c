import { say } from '@signalbox/messages/say';
import type { Embedder } from '@signalbox/models/embeddings/embedder';
import type { EmbeddingsConfig } from '@signalbox/models/embeddings/settings';
import { redactText } from '@signalbox/safety/redact/redact';
import { readVectorState } from '@signalbox/store/migrations/vector-columns';
import type { Pool } from '@signalbox/store/pool';
import type { HandlerOf, JobContext } from '../runner/handlers.ts';
import {
  createCodeVectorStore,
  createManualVectorStore,
  type PassageVector,
  type VectorStore,
  type WaitingPassage,
  type WantedVectors,
} from './vector-store.ts';

/** Texts of one request: most servers take at least this many. */
const BATCH = 32;
/** A run ends after this many passages, so that others get their turn; the next run goes on. */
const MAX_OF_RUN = 4_000;
/** Most models read 512 tokens; a passage of 2,000 characters and its heading are close to that. */
const MAX_TEXT_LENGTH = 2_400;
/** A batch gets this many times the wait of a search, because nobody waits for it. */
const BATCH_PATIENCE = 10;
/** The server refuses a text of the batch, not the request itself. */
const REFUSALS = new Set([400, 413, 422]);

export interface EmbedDeps {
  readonly pool: Pool;
  /** Null without an embeddings server: nothing is sent. */
  readonly embedder: Embedder | null;
  readonly texts: EmbeddingsConfig['EMBEDDINGS_TEXTS'];
  readonly patienceMs: number;
}

class EndpointFailure extends Error {}

/**
 * Makes the vectors that are missing, of the manual and of what EMBEDDINGS_TEXTS names. Each batch is stored at once, so a killed run goes
 * on where it was. A failing endpoint ends the run and is tried again by the next.
 */
export function createEmbedHandler({ pool, embedder, texts, patienceMs }: EmbedDeps): HandlerOf<'knowledge.embed'> {
  const stores = [
    createManualVectorStore(pool),
    ...(texts === 'manual' ? [] : [createCodeVectorStore(pool, texts === 'code')]),
  ];
  /** Settings change only with a restart, so the length of vectors is asked once in each process. */
  let known: WantedVectors | null = null;
  const run = async (client: Embedder, context: JobContext): Promise<{ embedded: number; refused: number }> => {
    const counts = { embedded: 0, refused: 0 };
    const deadlineMs = patienceMs * BATCH_PATIENCE;
    try {
      const wanted = (known ??= await measure(client, { deadlineMs, signal: context.signal }));
      for (const store of stores) await fill({ store, client, wanted, counts, deadlineMs }, context);
    } catch (error) {
      if (!(error instanceof EndpointFailure)) throw error;
      known = null;
      context.log.warn('no vectors from the embeddings endpoint', { reason: error.message, ...counts });
    }
    return counts;
  };
  return {
    title: () => say('jobs.embeddingPassages'),
    run: async (_, context) =>
      embedder !== null && (await readVectorState(pool)) === 'ready'
        ? run(embedder, context)
        : { embedded: 0, refused: 0 },
    say: ({ embedded }) => say('jobs.passagesEmbedded', { embedded }),
    isOwn: () => true,
    isNotable: ({ embedded }) => embedded > 0,
  };
}

interface Call {
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
}

async function measure(client: Embedder, call: Call): Promise<WantedVectors> {
  const measured = await client.embed(['Signalbox'], call);
  if (measured.kind === 'failed') throw new EndpointFailure(`${measured.reason} ${measured.status ?? ''}`.trim());
  return { model: client.model, dims: measured.dims };
}

interface Filling {
  readonly store: VectorStore;
  readonly client: Embedder;
  readonly wanted: WantedVectors;
  readonly counts: { embedded: number; refused: number };
  readonly deadlineMs: number;
}

async function fill(filling: Filling, { signal, progress }: JobContext): Promise<void> {
  const { store, client, wanted, counts, deadlineMs } = filling;
  let afterId = '0';
  while (counts.embedded + counts.refused < MAX_OF_RUN) {
    signal.throwIfAborted();
    const passages = await store.waiting(wanted, afterId, BATCH);
    const last = passages.at(-1);
    if (last === undefined) return;
    const vectors = await embedBatch(client, wanted, passages, { deadlineMs, signal });
    signal.throwIfAborted();
    await store.add(wanted, vectors);
    afterId = last.id;
    const refused = vectors.filter(({ embedding }) => embedding === null).length;
    counts.embedded += vectors.length - refused;
    counts.refused += refused;
    await progress(counts.embedded + counts.refused, MAX_OF_RUN);
  }
}

/** A text that the endpoint refuses must not keep the others of its batch from their vectors, so each is then sent alone. */
async function embedBatch(
  client: Embedder,
  wanted: WantedVectors,
  passages: readonly WaitingPassage[],
  call: Call,
): Promise<readonly PassageVector[]> {
  const answer = await client.embed(passages.map(toText), call);
  if (answer.kind === 'embedded') {
    if (answer.dims !== wanted.dims) throw new EndpointFailure('the length of vectors has changed');
    return passages.map(({ id }, place) => ({ id, embedding: answer.vectors[place] ?? null }));
  }
  if (!REFUSALS.has(answer.status ?? 0)) throw new EndpointFailure(`${answer.reason} ${answer.status ?? ''}`.trim());
  const [only, ...others] = passages;
  if (only && others.length === 0) return [{ id: only.id, embedding: null }];
  const alone = [];
  for (const passage of passages) alone.push(...(await embedBatch(client, wanted, [passage], call)));
  return alone;
}

/** Passages are stored without secrets; they are redacted again, because newer rules may know more. */
function toText({ heading, content }: WaitingPassage): string {
  return redactText(`${heading}\n${content}`).trim().slice(0, MAX_TEXT_LENGTH).toWellFormed() || '-';
}
