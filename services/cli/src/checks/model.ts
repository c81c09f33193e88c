import { readConfig } from '@signalbox/shared/config';
import { ModelConfig, modelSettings } from '@signalbox/shared/model/port';
import type { CommandContext } from '../command.ts';
import { fail, ok, reasonOf, warn, type Finding } from './finding.ts';

const TIMEOUT_MS = 8_000;
/** Where OpenAI itself answers; a server of one's own has OPENAI_BASE_URL. */
const OPENAI_ROOT = 'https://api.openai.com/v1';

type Server = Extract<ReturnType<typeof modelSettings>, { provider: 'openai' }>;

/** Whether the model's settings agree with each other, and whether its server takes the key. */
export async function checkModel({ environment }: CommandContext): Promise<readonly Finding[]> {
  try {
    const settings = modelSettings(readConfig(ModelConfig, environment));
    if (settings.provider === 'offline') return [ok('model', 'offline (built in, needs no key)')];
    return [await checkServer(settings)];
  } catch (error) {
    const say = error instanceof Error ? error.message : String(error);
    return [fail('model', say, 'See MODEL and the OPENAI_ variables in .env.example.')];
  }
}

async function checkServer({ apiKey, baseURL, model }: Server): Promise<Finding> {
  const root = (baseURL ?? OPENAI_ROOT).replace(/\/+$/, '');
  const where = `${model} at ${new URL(root).host}`;
  try {
    const headers = apiKey === null ? {} : { authorization: `Bearer ${apiKey}` };
    const response = await fetch(`${root}/models`, { headers, signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (response.ok) return ok('model', where);
    if (response.status === 401 || response.status === 403)
      return fail(
        'model',
        `${where} refuses the key (HTTP ${response.status})`,
        'Put a valid key into OPENAI_API_KEY.',
      );
    return warn(
      'model',
      `${where} answers HTTP ${response.status} to a look at its models`,
      'It may still answer chats: try one.',
    );
  } catch (error) {
    return fail('model', `${where} cannot be asked: ${reasonOf(error)}`, 'Start it, or correct OPENAI_BASE_URL.');
  }
}
