import { AIMessage, HumanMessage, SystemMessage, ToolMessage, type BaseMessage } from '@langchain/core/messages';
import { describe, expect, it } from 'vitest';
import { toProviderExtras } from '../kept.ts';
import { anthropic } from './anthropic.ts';
import { google } from './google.ts';
import { ollama } from './ollama.ts';
import { openai } from './openai.ts';
import type { Provider } from './provider.ts';

const system = new SystemMessage({
  content: [
    { type: 'text', text: 'always ' },
    { type: 'text', text: 'now' },
  ],
});
const call = (extras: Record<string, unknown> = {}): AIMessage =>
  new AIMessage({
    content: 'one moment',
    tool_calls: [
      { id: 'a', name: 'list', args: { n: 1 } },
      { id: 'b', name: 'list', args: { n: 2 } },
    ],
    additional_kwargs: extras,
  });
const result = new ToolMessage({ tool_call_id: 'a', name: 'list', content: '{"ok":true}' });

async function arrange(
  provider: Provider,
  messages: readonly BaseMessage[],
  model = 'm',
): Promise<readonly BaseMessage[]> {
  const wire = await provider.open({ model, apiKey: 'k', baseURL: 'http://127.0.0.1:1' });
  return wire.arrange(messages);
}

describe('arranging a conversation for a provider', () => {
  it.each([openai, ollama, google])('joins the parts of the system message into one text for $id', async (provider) => {
    const [first] = await arrange(provider, [system, new HumanMessage('hello')]);
    expect(first?.content).toBe('always now');
  });

  it('sets Anthropic’s cache markers after the constant part of the prompt and after the last message', async () => {
    const cache_control = { type: 'ephemeral' };
    const asked = await arrange(anthropic, [system, new HumanMessage('hello')]);
    expect(asked.map(({ content }) => content)).toEqual([
      [
        { type: 'text', text: 'always ', cache_control },
        { type: 'text', text: 'now' },
      ],
      [{ type: 'text', text: 'hello', cache_control }],
    ]);
    const acted = await arrange(anthropic, [system, new HumanMessage('hello'), call(), result]);
    expect(acted.map(({ content }) => JSON.stringify(content).includes('cache_control'))).toEqual([
      true,
      false,
      false,
      true,
    ]);
    // Anthropic refuses a mark deeper within a result.
    expect(acted.at(-1)?.content).toEqual([
      { type: 'tool_result', tool_use_id: 'a', content: '{"ok":true}', cache_control },
    ]);
  });

  const facts = new SystemMessage('It is noon.');
  const turns = [
    new SystemMessage('always'),
    new HumanMessage('first'),
    new AIMessage('said'),
    new HumanMessage('second'),
    call(),
    result,
    new AIMessage('done'),
    facts,
    new HumanMessage('third'),
  ];

  it.each([openai, ollama, google])('begins the newest message for $id with facts that come late', async (provider) => {
    const arranged = await arrange(provider, turns);
    expect(arranged.map((message) => message.getType())).toEqual(
      turns.filter((message) => message !== facts).map((message) => message.getType()),
    );
    expect(arranged.at(-1)?.content).toBe('It is noon.\n\nthird');
    const [, alone] = await arrange(provider, [new SystemMessage('always'), facts, call(), result]);
    expect([alone?.getType(), alone?.content]).toEqual(['human', 'It is noon.']);
  });

  it('marks Anthropic’s cache before the facts of this turn and of the one before', async () => {
    const isMarked = ({ content }: BaseMessage): boolean => JSON.stringify(content).includes('cache_control');
    const places = async (messages: readonly BaseMessage[]): Promise<readonly string[]> =>
      (await arrange(anthropic, messages))
        .filter(isMarked)
        .map(({ text, content }) => text || JSON.stringify(content).slice(0, 22));
    expect(await places(turns)).toEqual(['always', 'said', 'done', 'It is noon.third']);
    expect(await places([...turns, call(), result])).toEqual(['always', 'said', 'done', '[{"type":"tool_result"']);
    expect(await places([new SystemMessage('always'), facts, new HumanMessage('first')])).toEqual([
      'always',
      'It is noon.first',
    ]);
  });

  it("sends Google the tool calls of an answer after the answer's text, with the ids of the calls", async () => {
    const [, , answer] = await arrange(google, [system, new HumanMessage('hello'), call(), result], 'gemini-2.5-flash');
    expect(answer?.content).toEqual([
      { type: 'text', text: 'one moment' },
      { type: 'functionCall', functionCall: { id: 'a', name: 'list', args: { n: 1 } } },
      { type: 'functionCall', functionCall: { id: 'b', name: 'list', args: { n: 2 } } },
    ]);
  });

  it('sends Google’s thought signatures back to the model that made them, and a placeholder to other models', async () => {
    const signed = toProviderExtras('google:gemini-3.8-flash', ['sig', null]);
    const signatures = async (extras: Record<string, unknown>, model: string): Promise<unknown[]> => {
      const [answer] = await arrange(google, [call(extras)], model);
      const parts = answer?.content as readonly { type: string; thoughtSignature?: string }[]; // arranged as parts
      return parts.filter(({ type }) => type === 'functionCall').map((part) => part.thoughtSignature);
    };
    expect(await signatures(signed, 'gemini-3.8-flash')).toEqual(['sig', undefined]);
    expect(await signatures(signed, 'gemini-3.5-flash')).toEqual(['skip_thought_signature_validator', undefined]);
    expect(await signatures({}, 'gemini-3.8-flash')).toEqual(['skip_thought_signature_validator', undefined]);
    expect(await signatures({}, 'gemini-2.5-flash')).toEqual([undefined, undefined]);
  });
});
