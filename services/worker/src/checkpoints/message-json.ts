import { AIMessage, HumanMessage, SystemMessage, ToolMessage, type BaseMessage } from '@langchain/core/messages';
import type { SerializerProtocol } from '@langchain/langgraph-checkpoint';

type Fields = Readonly<Record<string, unknown>>;

/** The messages that a conversation is made of. Their fields are those of their constructors. */
const CLASSES: Readonly<Record<string, (fields: Fields) => BaseMessage>> = {
  AIMessage: (fields) => new AIMessage(fields),
  HumanMessage: (fields) => new HumanMessage(fields),
  SystemMessage: (fields) => new SystemMessage(fields),
  ToolMessage: (fields) => new ToolMessage(fields as never), // as above
};

interface Written {
  readonly lc: number;
  readonly type: string;
  readonly id: readonly string[];
  readonly kwargs: Fields;
}

/**
 * Reads a message as LangGraph's serializer wrote it. LangChain's own loader looks every class up by its path, which takes some ten
 * times as long, so it reads only what is no plain message: another class, or one with an object of LangChain in it.
 */
export async function readMessage(json: string, serde: SerializerProtocol): Promise<BaseMessage> {
  const written = JSON.parse(json) as Written; // rows of ours, written by the same serializer
  const isPlain = json.indexOf('"lc":') === json.lastIndexOf('"lc":') && written.id[1] === 'messages';
  const create = isPlain ? CLASSES[written.id.at(-1) ?? ''] : undefined;
  return create ? create(written.kwargs) : ((await serde.loadsTyped('json', json)) as BaseMessage); // only messages are rows
}
