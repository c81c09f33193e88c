import { isInteropZodSchema } from '@langchain/core/utils/types';
import { toJsonSchema } from '@langchain/core/utils/json_schema';
import { z } from 'zod';
import type { BoundTool } from '@signalbox/contracts/tool-catalog';

const OpenAiTool = z.object({
  function: z.object({ name: z.string(), description: z.string().catch(''), parameters: z.unknown() }),
});
const NamedTool = z.object({ name: z.string(), description: z.string().catch(''), schema: z.unknown() });

/** Reads bound tools: LangChain's {name, description, schema}, structured tools, and OpenAI's {type, function}. Others are left out. */
export function readBoundTools(tools: readonly unknown[] | undefined): readonly BoundTool[] {
  return (tools ?? []).flatMap((tool): readonly BoundTool[] => {
    const openAi = OpenAiTool.safeParse(tool);
    if (openAi.success) {
      const { name, description, parameters } = openAi.data.function;
      return [{ name, description, schema: parameters }];
    }
    const named = NamedTool.safeParse(tool);
    if (!named.success) return [];
    const { name, description, schema } = named.data;
    return [{ name, description, schema: isInteropZodSchema(schema) ? toJsonSchema(schema) : schema }];
  });
}
