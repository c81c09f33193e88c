/** The kinds of turn that are measured: an answer without a tool, with a tool that reads, with one that changes something. */
export const KINDS = ['noTool', 'read', 'write'] as const;
export type Kind = (typeof KINDS)[number];

/** How each answer begins: what begins otherwise is a refusal, and no turn that counts. */
export const ANSWER_MARK = 'Here is the answer.';
const ANSWER = `${ANSWER_MARK} ${'lorem ipsum dolor sit amet consectetur adipiscing elit '.repeat(6).slice(0, 280)}`;
/** How long the model thinks about a message that begins with "slow". */
const SLOW_MS = 15_000;

export interface Said {
  readonly content?: string;
  readonly toolCalls?: readonly { readonly name: string; readonly args: Record<string, unknown> }[];
  readonly delayMs?: number;
}

/** What a person writes for a turn of this kind. `n` makes each text another one. */
export function textOf(kind: Kind, n: number): string {
  if (kind === 'noTool') return `hello ${n}, how are you today?`;
  return kind === 'read' ? `read the status of the project shop please, ${n}` : `write pj-${n}`;
}

/**
 * What the fixed model says, in our worker and in the naive bot alike. `request`: the newest message of the person; `tools`: the names
 * of the tools that read and change; `isAnswered`: a tool has answered since.
 */
export function answerTo(
  request: string,
  tools: { readonly read: string; readonly write: string },
  isAnswered: boolean,
): Said {
  if (request.startsWith('slow')) return { content: ANSWER, delayMs: SLOW_MS };
  if (isAnswered || request.startsWith('hello')) return { content: ANSWER };
  if (request.startsWith('read')) return { toolCalls: [{ name: tools.read, args: { project: 'shop' } }] };
  const [, name = 'none'] = request.split(' ');
  return { toolCalls: [{ name: tools.write, args: { name, description: 'a project of the measurement' } }] };
}
