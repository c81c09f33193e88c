import { z } from 'zod';

const NaiveConfig = z.object({
  DATABASE_URL: z.string(),
  TELEGRAM_API_ROOT: z.string(),
  TELEGRAM_BOT_TOKEN: z.string(),
  PROBE_PORT: z.coerce.number(),
  /** A model server; not set: the fixed model in the bot's own process. */
  MODEL_URL: z.url().optional(),
});

/** What the naive bot is started with. */
export function loadNaiveConfig(): z.infer<typeof NaiveConfig> {
  return NaiveConfig.parse(process.env);
}
