import { readConfig } from '@signalbox/shared/config';

/**
 * The model in a few words, for the terminal. Throws CONFIG_INVALID when it is not usable: better at once than from a
 * worker half a minute later.
 */
export async function describeModel(): Promise<string> {
  // Loaded here and not at the top: it takes as long as Postgres takes to start, and can do so at the same time.
  const { ModelConfig, modelSettings } = await import('@signalbox/shared/model/port');
  const settings = modelSettings(readConfig(ModelConfig));
  if (settings.provider === 'offline') return 'offline (built in, needs no key)';
  return `${settings.model} at ${settings.baseURL ?? 'OpenAI'}`;
}
