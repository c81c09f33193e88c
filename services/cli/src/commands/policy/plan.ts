import type { ToolCatalog } from '@signalbox/contracts/tool-catalog';
import { type DryRun, PriorContext, explainMessage } from '@signalbox/planner/explanation';
import { createRegistry, loadCapabilities } from '@signalbox/worker/tools/registry';
import { z } from 'zod';
import { UsageError, type CommandContext, type CommandResult } from '../../command.ts';
import { answerValidLine, answerLines } from '../../json-lines.ts';

/** Names in a line of `--jsonl`. The product never plans longer texts either. */
const Names = z.array(z.string().min(1).max(200)).max(10_000);
const LINE = {
  schema: z.object({
    text: z.string().min(1).max(16_000),
    context: PriorContext.optional(),
    /** Known names in addition to those of the context. */
    projects: Names.optional(),
    servers: Names.optional(),
    versions: z.record(z.string(), Names).optional(),
  }),
  example: '{"text": "list the projects", "projects": ["shop"]}',
};

/** `plan explain`: shows what the offline planner would do, without doing it. Needs no server and no model. */
export async function runPlanExplain(context: CommandContext): Promise<CommandResult> {
  const [action, ...words] = context.arguments.words;
  if (action !== 'explain') throw new UsageError();
  const { catalog } = createRegistry(await loadCapabilities());
  if (context.arguments.jsonl) {
    return answerLines(context, (asked) =>
      answerValidLine(LINE, asked, (line) => explainOne(catalog, line.text, toStory(line))),
    );
  }
  const text = words.join(' ').trim();
  if (text === '') throw new UsageError();
  const explanation = explainOne(catalog, text, PriorContext.parse({}));
  return { ok: true, data: explanation, lines: describe(explanation) };
}

function toStory({ context, projects, servers, versions }: z.output<typeof LINE.schema>): PriorContext {
  const story = context ?? PriorContext.parse({});
  const given = { project: projects, server: servers, version: versions && Object.values(versions).flat() };
  const names = Object.entries(given).flatMap(([kind, list]) => (list ? [[kind, list] as const] : []));
  return { ...story, names: { ...story.names, ...Object.fromEntries(names) } };
}

function explainOne(catalog: ToolCatalog, text: string, story: PriorContext) {
  const rehearsal = explainMessage(catalog, text, story);
  const { calls, question, offered } = rehearsal;
  const shortlist = offered.map(({ tool, args, label }) => ({ tool, arguments: args, label }));
  const first = calls[0] ?? shortlist[0];
  return {
    /** The first called tool, or the tool of the question; null without a tool. */
    tool: first?.tool ?? question?.tool ?? null,
    arguments: first?.arguments ?? question?.args ?? {},
    /** The question that the planner would ask; null when nothing is missing. */
    question: question?.message ?? null,
    reason: getReason(rehearsal),
    /** All calls in order; one message may ask for several. */
    calls,
    /** Changes that the planner offers as buttons instead of making them. */
    shortlist,
  };
}

function getReason({ calls, question, says, texts }: DryRun): string {
  const called = calls.map(({ tool }) => tool).join(', then ');
  const [answer = ''] = texts.slice(-1);
  if (question) {
    if (question.readings)
      return `${called === '' ? '' : `Would call ${called}. `}Not plain: would offer what may be meant.`;
    const wanted = question.tool === null ? 'which tool is meant' : `${question.slot} of ${question.tool}`;
    return `${called === '' ? '' : `Would call ${called}. `}Not clear: ${wanted}.`;
  }
  if (calls.length > 0) return `Would call ${called}; nothing is missing.`;
  return `Would call nothing and say (${says?.kind ?? 'answer'}): ${answer}`;
}

function describe({ calls, question, reason }: ReturnType<typeof explainOne>): readonly string[] {
  const lines = calls.map(({ tool, arguments: args }) => `calls ${tool} ${JSON.stringify(args)}`);
  return [...lines, ...(question === null ? [] : [`asks  ${question}`]), reason];
}
