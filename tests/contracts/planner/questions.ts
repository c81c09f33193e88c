import { type PriorContext, explainMessage } from '@signalbox/planner/explanation';
import { createRegistry, loadCapabilities } from '@signalbox/worker/tools/registry';

export const { catalog } = createRegistry(await loadCapabilities());
/** Tools that only look. */
export const looks: ReadonlySet<string> = new Set(
  catalog.groups.flatMap(({ tools }) => tools.filter(({ isRead }) => isRead).map(({ name }) => name)),
);

export const VERDICTS = ['right', 'asked well', 'no use', 'wrong', 'changes'] as const;
export type Verdict = (typeof VERDICTS)[number];

interface Wanted {
  readonly tools: readonly string[];
  readonly args: Readonly<Record<string, string | number>>;
  /** True when the question asks for a change, so that exactly this call may change something. */
  readonly mayChange: boolean;
}

/** Judges what the planner makes of a question: by the first call, or else by the first thing that it offers or asks for. */
export function judgeQuestion(text: string, story: PriorContext, { tools, args, mayChange }: Wanted): Verdict {
  const { calls, question } = explainMessage(catalog, text, story);
  const holds = (given: Readonly<Record<string, unknown>>): boolean =>
    Object.entries(args).every(([name, value]) => String(given[name]) === String(value));
  const isWanted = ({ tool, arguments: given }: (typeof calls)[number]): boolean =>
    mayChange && tools.includes(tool) && holds(given);
  const isLook = (tool: string): boolean => looks.has(tool) || tool === 'search_knowledge';
  if (calls.some((call) => !isLook(call.tool) && !isWanted(call))) return 'changes';
  const [call] = calls;
  if (call && tools.includes(call.tool)) return holds(call.arguments) ? 'right' : 'wrong';
  if (call) return call.tool === 'search_knowledge' ? 'no use' : 'wrong';
  const [offered] = question?.readings ?? [];
  if (offered && tools.includes(offered.tool)) return holds(offered.args) ? 'asked well' : 'wrong';
  return question?.tool && tools.includes(question.tool) ? 'asked well' : 'no use';
}
