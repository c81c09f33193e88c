import { AIMessageChunk, type BaseMessage } from '@langchain/core/messages';
import { RunnableLambda } from '@langchain/core/runnables';
import { z } from 'zod';
import { toForcedTool, type Provider } from '@signalbox/models/providers/provider';

export const CourierConfig = z.object({
  /** Where the server takes questions. */
  COURIER_URL: z.url().optional(),
});

const Call = z.object({ id: z.string(), name: z.string(), args: z.record(z.string(), z.unknown()) });
const Answer = z.object({ text: z.string(), calls: z.array(Call), done: z.boolean() });

export const courier: Provider = {
  id: 'courier',
  variables: { key: null, url: 'COURIER_URL', model: 'MODEL' },
  read: (config) => {
    const { COURIER_URL: url } = CourierConfig.parse(config);
    const missing = url === undefined ? ['needs COURIER_URL'] : [];
    return { chosen: url !== undefined, missing, apiKey: null, baseURL: url ?? '', model: 'small' };
  },
  open: async ({ model, baseURL }) => ({
    client: ({ tools, object }, fetch) =>
      RunnableLambda.from(async (messages: BaseMessage[]) => {
        const told = messages.map((message) => ({ from: message.getType(), text: message.text }));
        const body = JSON.stringify({ model, messages: told, tools: object ? [toForcedTool(object)] : tools });
        const response = await fetch(baseURL, { method: 'POST', body });
        if (!response.ok) throw new Error(`the server answered ${response.status}`);
        const { text, calls, done } = Answer.parse(await response.json());
        return new AIMessageChunk({ content: text, tool_calls: calls, response_metadata: { done } });
      }),
    arrange: (messages) => [...messages],
    endOf: ({ response_metadata: end }) => (end['done'] === true ? 'done' : null),
  }),
};
