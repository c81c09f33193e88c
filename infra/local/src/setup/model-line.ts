import { readConfig } from '@signalbox/platform/config';

/**
 * The models in a few words, for the terminal. Throws CONFIG_INVALID when they are not usable: better at once than from a
 * worker half a minute later.
 */
export async function describeModel(): Promise<string> {
  // Loaded here and not at the top: it takes as long as Postgres takes to start, and can do so at the same time.
  const { ModelConfig, readModelPlan } = await import('@signalbox/models/settings');
  const { main, fallbacks } = readModelPlan(readConfig(ModelConfig));
  const first = main.provider === null ? 'offline (built in, needs no key)' : main.name;
  const others = fallbacks.map(({ name }) => name).filter((name) => name !== main.name);
  return [first, ...new Set(others)].join(', else ');
}
