import { z } from 'zod';
import { Button } from '@signalbox/contracts/conversation/envelope';
import { escapeLine, escapeText } from '@signalbox/safety/cards/canonical-card';
import { say } from '@signalbox/messages/say';
import type { ToolDefinition } from '../../tools/registry.ts';
import { HANDOFF } from '../handoff.ts';

const MAX_CHOICES = 8;

/** Tools that are always loaded. The graph runs them itself, because they only talk to the person or steer the turn. */
export const BASE_TOOLS = {
  respond_to_user: {
    describe:
      'Send a message to the person. awaiting_response=true asks a question: the turn ends and goes on with the answer. Choices are buttons.',
    input: z
      .object({
        message: z.string().min(1).max(8_000).describe('Markdown text for the person.'),
        awaiting_response: z.boolean().default(false),
        goes_on: z
          .boolean()
          .default(false)
          .describe('True ends the turn while something waits or runs: your task goes on after it.'),
        choices: z.array(Button).max(MAX_CHOICES).default([]),
        asks: z
          .object({
            tool: z.string().min(1).max(100),
            argument: z.string().min(1).max(100),
            arguments: z.record(z.string(), z.unknown()).default({}).describe('Those known already.'),
          })
          .optional()
          .describe('What the question asks for: its known values become buttons.'),
      })
      .transform((said) => ({ ...said, ...withHonestButtons(said) })),
  },
  search_knowledge: {
    describe: 'Search documentation, code, logs, past conversations and deployments. Cite the source; next reads on.',
    input: z.object({
      query: z.string().min(1).max(500),
      scope: z.enum(['docs', 'code', 'history', 'logs', 'all']).default('all'),
      project: z.string().min(1).max(80).optional(),
      ref: z.string().min(1).max(200).optional(),
    }),
  },
  read_result: {
    describe: 'Read the rest of a result that was cut or left out, by its handle.',
    input: z.object({
      handle: z.string().min(1).max(100),
      from: z.int().min(1).default(1).describe('First row'),
    }),
  },
  request_capabilities: {
    describe: 'Load groups of tools, from the next step on.',
    input: z.object({ capabilities: z.array(z.string().min(1)).min(1).max(10), reason: z.string().min(1).max(500) }),
  },
  finish_task: {
    describe:
      'End this conversation, only after the person has confirmed that the task is done. The next message starts a new one.',
    input: z.object({
      summary: z.string().min(1).max(1_000).describe('What was done.'),
      message: z.string().min(1).max(1_000).optional().describe('Your last words to the person.'),
    }),
  },
} as const;

const LABEL_LENGTH = 64;

/** Adds the value of a button to its label when the two differ, so that the person sees what the button sends. */
function withHonestButtons({ message, choices }: { readonly message: string; readonly choices: readonly Button[] }): {
  readonly message: string;
  readonly choices: Button[];
} {
  const told: string[] = [];
  const shown = choices.map(({ label, value }) => {
    const [name, words] = [escapeText(label), escapeText(value)];
    const both = label.trim().toLowerCase() === value.trim().toLowerCase() ? words : `${name} → ${words}`;
    if (both.length <= LABEL_LENGTH) return { label: both, value };
    told.push(say('agent.buttonSends', { label: escapeLine(label), value: escapeLine(value) }));
    return { label: name.slice(0, LABEL_LENGTH), value };
  });
  return { message: [message, ...told].join('\n\n'), choices: shown };
}

export type BaseToolName = keyof typeof BASE_TOOLS;

export function isBaseTool(name: string): name is BaseToolName {
  return Object.hasOwn(BASE_TOOLS, name);
}

/** True for a tool that the graph runs itself: a base tool, or the offer of another agent. */
export function isTalk(name: string): boolean {
  return name === HANDOFF || isBaseTool(name);
}

export const BASE_DEFINITIONS: readonly ToolDefinition[] = Object.entries(BASE_TOOLS).map(
  ([name, { describe, input }]) => ({
    name,
    description: describe,
    schema: { ...z.toJSONSchema(input, { io: 'input', target: 'draft-7' }) },
  }),
);

export const Intent = z.object({
  task_summary: z.string().max(200).describe('What the person wants, in one short line.'),
  capabilities: z
    .array(z.string())
    .max(10)
    .describe('Names of the capability groups that the task needs; empty for small talk.'),
  project: z.string().max(100).nullable().default(null).describe('The known project that it is about, or null.'),
});
