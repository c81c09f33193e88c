import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { AppError } from '@signalbox/contracts/errors';
import type { TokenCounts } from './port.ts';

/** The built-in price table, which states its sources and date. */
const FILE = fileURLToPath(new URL('../../../infra/models/prices.json', import.meta.url));

const TOKENS_PER_PRICE = 1_000_000;
/** Costs are rounded to a billionth of a dollar: below one token's price, without noise of binary fractions. */
const NANO = 1e9;

/** Prices in USD per million tokens. Cache reads and writes without a price of their own cost as much as other input. */
const Price = z.object({
  input: z.number().min(0),
  cached: z.number().min(0).optional(),
  cacheWrite: z.number().min(0).optional(),
  output: z.number().min(0),
});

const PriceFile = z.object({
  source: z.string(),
  asOf: z.iso.date(),
  /** Prices by `provider:model`. */
  models: z.record(z.string(), Price),
});

export type Prices = ReadonlyMap<string, z.infer<typeof Price>>;

/** Reads the built-in price table; entries of `ownFile` override built-in entries. Throws CONFIG_INVALID. */
export async function loadPrices(ownFile: string | null): Promise<Prices> {
  const files = await Promise.all([readPrices(FILE), ...(ownFile === null ? [] : [readPrices(ownFile)])]);
  return new Map(files.flatMap((file) => Object.entries(file.models)));
}

/** Computes the cost of a call in USD; null when the model has no price. A dated model name falls back to the undated one. */
export function computeCost(prices: Prices, model: string, tokens: TokenCounts): number | null {
  const price = prices.get(model) ?? prices.get(model.replace(/-(\d{4}-\d{2}-\d{2}|\d{8})$/, ''));
  if (!price) return null;
  const { input, output, cached = input, cacheWrite = input } = price;
  const plain = tokens.inputTokens - tokens.cachedTokens - tokens.cacheWriteTokens;
  const sum =
    plain * input + tokens.cachedTokens * cached + tokens.cacheWriteTokens * cacheWrite + tokens.outputTokens * output;
  return Math.round((sum / TOKENS_PER_PRICE) * NANO) / NANO;
}

async function readPrices(file: string): Promise<z.infer<typeof PriceFile>> {
  const refuse = (detail: string, cause?: unknown): never => {
    throw new AppError('CONFIG_INVALID', { problems: `MODEL_PRICES_FILE: ${file} ${detail}` }, cause);
  };
  const text = await readFile(file, 'utf8').catch((error: unknown) => refuse('cannot be read', error));
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    return refuse('is not JSON', error);
  }
  const parsed = PriceFile.safeParse(json);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  return refuse(`is not a table of prices (${issues.join('; ')})`);
}
