import { AIMessage, ToolMessage, type BaseMessage } from '@langchain/core/messages';
import { z } from 'zod';
import type { ToolCatalog, RequestFacts } from '@signalbox/contracts/tool-catalog';
import type { PlannerMark } from './conversation/marks.ts';
import { heard, rehearse } from './rehearsal.ts';

const Plain = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]));

/** What went before a message, for explaining what the planner would do about it. */
export const Story = z.object({
  /** What both sides read, oldest first. */
  messages: z.array(z.object({ from: z.enum(['person', 'signalbox']), text: z.string().min(1) })).default([]),
  /** The project that the conversation is about. */
  project: z.string().min(1).optional(),
  /** The question that is open, with the arguments that were known when it was asked. */
  question: z
    .object({
      tool: z.string().min(1),
      argument: z.string().min(1),
      arguments: Plain.default({}),
      choices: z.array(z.string().min(1)).optional(),
    })
    .optional(),
  /** The last tool that ran, with its result. */
  lastTool: z
    .object({ tool: z.string().min(1), arguments: Plain.default({}), result: z.unknown().optional() })
    .optional(),
  /** Known names by the kind of thing, such as `project` → ['shop']. */
  names: z.record(z.string(), z.array(z.string().min(1))).default({}),
});
export type Story = z.infer<typeof Story>;

/** What the planner knows at the moment of the story. */
export function factsOf({ project, names }: Story, catalog: ToolCatalog): RequestFacts {
  const activeGroups = catalog.groups.filter(({ installed }) => installed).map(({ name }) => name);
  return { activeGroups, known: names, currentProject: project ?? null };
}

/**
 * The story as the history that the planner would have: what the story says of questions and tools is taken as it is; where it
 * only has messages, those of the person are played, so that questions and results follow from them.
 */
export function historyOf(story: Story, catalog: ToolCatalog): readonly BaseMessage[] {
  const { messages, question, lastTool } = story;
  if (!question && !lastTool) return played(story, catalog);
  const lastAnswer = messages.findLastIndex(({ from }) => from === 'signalbox');
  // The question is the newest answer; the tool ran before it.
  const ran =
    question && lastTool ? messages.slice(0, lastAnswer).findLastIndex(({ from }) => from === 'signalbox') : lastAnswer;
  let asker = 'h0';
  const history = messages.flatMap(({ from, text }, at): BaseMessage[] => {
    if (from === 'person') {
      asker = `h${at + 1}`;
      return [heard(asker, text)];
    }
    const result = lastTool && at === ran ? callOf(asker, lastTool, text) : [];
    if (question && at === lastAnswer) return [...result, asked(asker, question, text)];
    return [...result, said({ for: asker, done: true }, text)];
  });
  const unseen = lastTool && ran === -1 ? callOf('h0', lastTool, '') : [];
  const unheard = question && lastAnswer === -1 ? [asked('h0', question, '')] : [];
  return [...unseen, ...history, ...unheard];
}

function played(story: Story, catalog: ToolCatalog): readonly BaseMessage[] {
  const facts = factsOf(story, catalog);
  let history: readonly BaseMessage[] = [];
  for (const [at, { from, text }] of story.messages.entries()) {
    if (from !== 'person') continue;
    const next = story.messages[at + 1];
    const result = next?.from === 'signalbox' ? next.text : 'Done.';
    history = rehearse({ history: [...history, heard(`h${at + 1}`, text)], catalog, facts, result }).messages;
  }
  return history;
}

function said(mark: PlannerMark, text: string): AIMessage {
  return new AIMessage({ content: text, additional_kwargs: { planner: mark } });
}

function asked(asker: string, question: NonNullable<Story['question']>, text: string): AIMessage {
  const { tool, argument: slot, arguments: args } = question;
  const choices = (question.choices ?? []).map((value) => ({ label: value, value }));
  const ask = { tool, args, slot, choices, question: text, text: '', tries: 0 };
  return said({ for: asker, done: true, ask }, text);
}

function callOf(asker: string, { tool, arguments: args, result }: NonNullable<Story['lastTool']>, say: string) {
  const call = { id: 'ran', name: tool, args, type: 'tool_call' as const };
  return [
    new AIMessage({ content: '', tool_calls: [call], additional_kwargs: { planner: { for: asker, done: false } } }),
    new ToolMessage({
      tool_call_id: call.id,
      content: JSON.stringify({ ok: true, result: result ?? null }),
      additional_kwargs: say === '' ? {} : { say },
    }),
  ];
}
