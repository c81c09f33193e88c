import type { ChatCompletionRequest, FixtureResponse } from '@copilotkit/aimock';
import type { WireScript } from '../support/model-wire.ts';

/** A key that is found again wherever it leaks. */
export const KEY = 'sk-very-secret-4711';

export interface TestedProvider {
  readonly id: string;
  /** Name of the model in the records. */
  readonly model: string;
  /** Its settings for a server at this address. */
  env(url: string): Record<string, string>;
  /** Tokens of each answer in the form that this provider counts in; null where aimock cannot be told (Ollama's real one counts). */
  readonly usage: Readonly<Record<string, number>> | null;
}

/** Every provider that speaks to a server. A new one is added here. */
export const TESTED_PROVIDERS: readonly TestedProvider[] = [
  {
    id: 'openai',
    model: 'openai:gpt-4.1-mini',
    env: (url) => ({ OPENAI_API_KEY: KEY, OPENAI_BASE_URL: `${url}/v1` }),
    usage: { prompt_tokens: 1_000, completion_tokens: 50 },
  },
  {
    id: 'anthropic',
    model: 'anthropic:claude-sonnet-5',
    env: (url) => ({ ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: url }),
    usage: { input_tokens: 1_000, output_tokens: 50 },
  },
  {
    id: 'google',
    model: 'google:gemini-3.8-flash',
    env: (url) => ({ GOOGLE_API_KEY: KEY, GOOGLE_BASE_URL: url }),
    usage: { promptTokenCount: 1_000, candidatesTokenCount: 50 },
  },
  {
    id: 'azure_openai',
    model: 'azure_openai:chat',
    env: (url) => ({
      AZURE_OPENAI_API_KEY: KEY,
      AZURE_OPENAI_ENDPOINT: url,
      AZURE_OPENAI_DEPLOYMENT: 'chat',
    }),
    usage: { prompt_tokens: 1_000, completion_tokens: 50 },
  },
  {
    id: 'openai_compatible',
    model: 'openai_compatible:local',
    env: (url) => ({
      OPENAI_COMPATIBLE_BASE_URL: `${url}/v1`,
      OPENAI_COMPATIBLE_MODEL: 'local',
      OPENAI_COMPATIBLE_API_KEY: KEY,
    }),
    usage: { prompt_tokens: 1_000, completion_tokens: 50 },
  },
  {
    id: 'ollama',
    model: 'ollama:qwen3',
    env: (url) => ({ OLLAMA_BASE_URL: url }),
    usage: null,
  },
];

/** "I need a port" → question → "shop" → tool → result → "thanks" → the end, whichever provider asks. */
export function spine({ usage }: Pick<TestedProvider, 'usage'>): WireScript {
  return (request) => ({ ...spineAnswer(request), ...(usage ? { usage: { ...usage } } : {}) });
}

/** Long enough that an answer is cut in it when it is cut in the middle. */
export const QUESTION = `For which “project”? \u{1F6A2}\n${'I know several of them, so please pick the one that it is for. '.repeat(4).trim()}`;

function spineAnswer(request: ChatCompletionRequest): FixtureResponse {
  const tools = (request.tools ?? []).map((tool) => tool.function.name);
  const call = (name: string, args: unknown): FixtureResponse => ({
    toolCalls: [{ name, arguments: JSON.stringify(args) }],
  });
  const intent = { task_summary: 'get a port', capabilities: ['infrastructure'], project: null };
  if (tools.includes('classify_intent')) return call('classify_intent', intent);
  if (tools.length === 0) return { content: JSON.stringify(intent) }; // asked by schema
  const last = request.messages.at(-1);
  if (last?.role === 'tool') return { content: `Done: port ${/"port\\*":(\d+)/.exec(textOf(last))?.[1] ?? '?'}.` };
  // The facts of the moment come at the beginning of the person's message.
  const said = textOf(last).split('[End of the facts]').at(-1) ?? '';
  if (said.includes('I need a port'))
    return call('respond_to_user', {
      awaiting_response: true,
      choices: [{ label: 'shop', value: 'shop' }],
      message: QUESTION,
    });
  if (said.includes('shop')) return call('allocate_port', { project: 'shop', server: 'local' });
  return call('finish_task', { summary: 'A port for shop.' });
}

/** The text of a message, in one piece or in parts. */
export function textOf(message: ChatCompletionRequest['messages'][number] | undefined): string {
  const content = message?.content ?? '';
  return typeof content === 'string' ? content : content.map((part) => part.text ?? '').join('');
}
