import { readConfig } from '@signalbox/platform/config';
import { addToEnvironment } from '../config.ts';
import { findLocalModel } from './local-model.ts';

/**
 * Describes the configured models for the terminal. Without configuration, uses a local model server that can call tools. Throws
 * CONFIG_INVALID at once, before a worker would.
 */
export async function settleModel(report: (line: string) => void): Promise<string> {
  // Imported late, so that loading runs while Postgres starts.
  const { ModelConfig, readModelPlan } = await import('@signalbox/models/settings');
  const config = readConfig(ModelConfig);
  const { main, fallbacks } = readModelPlan(config);
  if (main.provider === null && config.MODEL === undefined) {
    const found = await findLocalModel(report);
    if (found?.variables) {
      addToEnvironment(found.variables);
      return `${found.variables['MODEL']} (${found.server} on this machine; MODEL=offline leaves it alone)`;
    }
    if (found) return `offline (built in); ${found.problem}`;
  }
  const first = main.provider === null ? 'offline (built in, needs no key)' : main.name;
  const others = fallbacks.map(({ name }) => name).filter((name) => name !== main.name);
  return [first, ...new Set(others)].join(', else ');
}
