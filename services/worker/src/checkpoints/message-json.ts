import { AIMessage, HumanMessage, SystemMessage, ToolMessage, type BaseMessage } from '@langchain/core/messages';
import type { SerializerProtocol } from '@langchain/langgraph-checkpoint';

type Fields = Readonly<Record<string, unknown>>;

/** The message classes of a conversation; their fields are those of their constructors. */
const CLASSES: Readonly<Record<string, (fields: Fields) => BaseMessage>> = {
  AIMessage: (fields) => new AIMessage(fields),
  HumanMessage: (fields) => new HumanMessage(fields),
  SystemMessage: (fields) => new SystemMessage(fields),
  ToolMessage: (fields) => new ToolMessage(fields as never), // they were written from one
};

/** Marks LangChain's own objects and escaped values. A text cannot contain it: its quotation marks are escaped. */
const OF_LANGCHAIN = /"lc":|"__lc_escaped__":/;

/** The class of a message and its fields, without LangChain's verbose envelope. */
type Written = readonly [name: string, fields: Fields];

/**
 * A message as JSON, for `readMessage`. Fields that are empty come back by themselves. A message of another class, or with an object in
 * it that LangChain would take for one of its own, is written as LangGraph writes it.
 */
export async function writeMessage(message: BaseMessage, serde: SerializerProtocol): Promise<Uint8Array> {
  const written = message.toJSON();
  const name = written.id.at(-1) ?? '';
  if ('kwargs' in written && CLASSES[name] !== undefined) {
    const fields = Object.entries(written.kwargs as Fields).filter((entry) => !isLeftOut(entry)); // as LangChain types it
    // The serializer marks values that are no JSON, such as a set.
    const [, bytes] = await serde.dumpsTyped([name, Object.fromEntries(fields)] satisfies Written);
    if (!OF_LANGCHAIN.test(Buffer.from(bytes).toString())) return bytes;
  }
  return (await serde.dumpsTyped(message))[1];
}

/** Reads a message that `writeMessage` wrote. LangChain's own loader takes ten times as long. */
export async function readMessage(json: string, serde: SerializerProtocol): Promise<BaseMessage> {
  if (OF_LANGCHAIN.test(json)) return (await serde.loadsTyped('json', json)) as BaseMessage; // rows of ours: only messages are
  const [name, fields] = JSON.parse(json) as Written; // as above
  const create = CLASSES[name];
  if (!create) throw new Error(`a message of a conversation is of the class ${name}, which is not known`);
  return create(fields);
}

/** Fields with a default in the constructor, mostly empty. */
const FILLED_IN: ReadonlySet<string> = new Set([
  'additional_kwargs',
  'response_metadata',
  'tool_calls',
  'invalid_tool_calls',
]);

function isLeftOut([field, value]: [string, unknown]): boolean {
  return value === undefined || (FILLED_IN.has(field) && JSON.stringify(value).length === 2);
}
