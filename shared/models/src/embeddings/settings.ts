import { SECOND_MS } from '@signalbox/contracts/time';
import { z } from 'zod';
import type { Embedder } from './embedder.ts';
import { createHttpEmbedder } from './http-embedder.ts';

/** Environment variables for vectors. A service that uses them spreads `EmbeddingsConfig.shape` into its own config. */
export const EmbeddingsConfig = z.object({
  /** Address of a server with OpenAI's embeddings API, such as http://127.0.0.1:8080/v1. Not set: searches work by words alone. */
  EMBEDDINGS_URL: z.url().optional(),
  /** The name of the embeddings model. Another name makes all vectors anew. */
  EMBEDDINGS_MODEL: z.string().min(1).default('text-embedding-3-small'),
  /** The API key of the embeddings server, if it needs a key. Secret. */
  EMBEDDINGS_API_KEY: z.string().optional().meta({ secret: true }),
  /** The milliseconds that a search waits for the vector of its words; the index waits ten times as long for a batch. */
  EMBEDDINGS_TIMEOUT_MS: z.coerce
    .number()
    .int()
    .min(100)
    .max(10 * SECOND_MS)
    .default(2 * SECOND_MS),
  /** What is sent there besides the words of a search: the manual, also documents of projects, or also the code of projects. */
  EMBEDDINGS_TEXTS: z
    .enum(['manual', 'docs', 'code'], { error: 'is neither manual nor docs nor code' })
    .default('manual'),
});
export type EmbeddingsConfig = z.infer<typeof EmbeddingsConfig>;

/** Creates the embedder; null when there is no embeddings server. Sends no request. */
export function openEmbedder(config: EmbeddingsConfig): Embedder | null {
  if (config.EMBEDDINGS_URL === undefined) return null;
  return createHttpEmbedder({
    url: config.EMBEDDINGS_URL,
    model: config.EMBEDDINGS_MODEL,
    apiKey: config.EMBEDDINGS_API_KEY ?? null,
    deadlineMs: config.EMBEDDINGS_TIMEOUT_MS,
  });
}
