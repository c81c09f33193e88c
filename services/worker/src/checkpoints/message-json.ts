import { AIMessage, HumanMessage, SystemMessage, ToolMessage, type BaseMessage } from '@langchain/core/messages';
import type { SerializerProtocol } from '@langchain/langgraph-checkpoint';

type Fields = Readonly<Record<string, unknown>>;

/** Creates messages by class name, from the fields of their constructors. */
const CLASSES: Readonly<Record<string, (fields: Fields) => BaseMessage>> = {
  AIMessage: (fields) => new AIMessage(fields),
  HumanMessage: (fields) => new HumanMessage(fields),
  SystemMessage: (fields) => new SystemMessage(fields),
  ToolMessage: (fields) => new ToolMessage(fields as never), // encodeMessage wrote the fields of a ToolMessage
};

/** Matches LangChain's own objects and escaped values. Text cannot match, because JSON escapes quotation marks. */
const OF_LANGCHAIN = /"lc":|"__lc_escaped__":/;

type Written = readonly [name: string, fields: Fields];

/** Encodes a message as compact JSON without empty fields. Messages of an unknown class keep LangGraph's own form. */
export async function encodeMessage(message: BaseMessage, serde: SerializerProtocol): Promise<Uint8Array> {
  const written = message.toJSON();
  const name = written.id.at(-1) ?? '';
  if ('kwargs' in written && CLASSES[name] !== undefined) {
    const fields = Object.entries(written.kwargs as Fields).filter((entry) => !isLeftOut(entry)); // LangChain types kwargs wider than constructors take
    // The serializer marks values that JSON lacks, such as a set.
    const [, bytes] = await serde.dumpsTyped([name, Object.fromEntries(fields)] satisfies Written);
    if (!OF_LANGCHAIN.test(Buffer.from(bytes).toString())) return bytes;
  }
  return (await serde.dumpsTyped(message))[1];
}

/** Reads a message that `encodeMessage` wrote. LangChain's own loader takes ten times as long. */
export async function decodeMessage(json: string, serde: SerializerProtocol): Promise<BaseMessage> {
  if (OF_LANGCHAIN.test(json)) return (await serde.loadsTyped('json', json)) as BaseMessage; // these rows hold only messages
  const [name, fields] = JSON.parse(json) as Written; // rows without LangChain objects hold only the pair that `encodeMessage` wrote
  const create = CLASSES[name];
  if (!create) throw new Error(`a message of a conversation is of the class ${name}, which is not known`);
  return create(fields);
}

/** Message fields that LangChain's constructors fill with defaults, mostly empty. */
const FILLED_IN: ReadonlySet<string> = new Set([
  'additional_kwargs',
  'response_metadata',
  'tool_calls',
  'invalid_tool_calls',
]);

function isLeftOut([field, value]: [string, unknown]): boolean {
  return value === undefined || (FILLED_IN.has(field) && JSON.stringify(value).length === 2);
}
