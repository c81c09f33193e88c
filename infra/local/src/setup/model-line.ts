import { readConfig } from '@signalbox/platform/config';
import { addToEnvironment } from '../config.ts';
import { findLocalModel } from './local-model.ts';

/**
 * The models in a few words, for the terminal. Where no variable names one, a model server of this machine is used if it can call
 * tools. Throws CONFIG_INVALID when they are not usable: better at once than from a
 * worker half a minute later.
 */
export async function settleModel(report: (line: string) => void): Promise<string> {
  // Loaded here and not at the top: it takes as long as Postgres takes to start, and can do so at the same time.
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
