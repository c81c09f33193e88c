import { HumanMessage, SystemMessage } from '@langchain/core/messages';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import catalog from './catalog.fixture.json' with { type: 'json' };
import fixture from './phrasings.fixture.json' with { type: 'json' };
import { planNextMessage } from './plan.ts';
import type { PlannedMessage } from './conversation/planned-message.ts';
import { PlannerMark } from './requests/marks.ts';
import { MENU_SLOT } from './requests/menu.ts';

const BASE = ['respond_to_user', 'search_knowledge', 'request_capabilities', 'finish_task'];
const installed = catalog.groups.filter((group) => group.installed).flatMap((group) => group.tools);
const tools = [
  ...BASE.map((name) => ({ name, description: '', schema: {} })),
  ...installed.map(({ name, describe: description, schema }) => ({ name, description, schema })),
];

interface Phrasing {
  readonly text: string;
  readonly expect: string;
  readonly args?: Readonly<Record<string, unknown>>;
  readonly asks?: string;
  readonly set: string;
}
const phrasings: readonly Phrasing[] = fixture.phrasings;

function firstStep(text: string): PlannedMessage {
  const system = new SystemMessage({ content: '', additional_kwargs: { facts: fixture.facts } });
  return planNextMessage({ messages: [system, new HumanMessage({ content: text, id: 'h1' })], tools, catalog });
}

/** Describes an answer in the terms of the fixture: the tool that would run or is asked about, or the kind of answer. */
function understood({ content, toolCalls, kwargs }: PlannedMessage): { intent: string; args: unknown; asks?: string } {
  const ask = PlannerMark.parse(kwargs['planner']).ask;
  const [reading] = ask?.readings ?? [];
  if (reading) return { intent: reading.tool, args: reading.args, asks: missingOf(reading) };
  if (ask?.slot === MENU_SLOT) return { intent: 'unclear', args: {} };
  if (ask) return { intent: ask.tool ?? 'which', args: ask.args, asks: ask.slot };
  const [call] = toolCalls;
  if (call?.name === 'search_knowledge') return { intent: 'knowledge', args: {} };
  if (call) return { intent: call.name, args: call.args };
  const missing = catalog.groups.find(({ name }) => content.startsWith(MISSING[name] ?? '\0'));
  const intent = missing
    ? `not_installed:${missing.name}`
    : (ANSWERS.find(([start]) => content.includes(start))?.[1] ?? content);
  return { intent, args: {} };
}

/** Returns the argument that an offered change still needs once the person has picked the change. */
function missingOf({ tool, args }: { readonly tool: string; readonly args: Readonly<Record<string, unknown>> }) {
  const schema = installed.find(({ name }) => name === tool)?.schema;
  const { required } = z.object({ required: z.array(z.string()).default([]) }).parse(schema ?? {});
  return required.find((name) => !Object.hasOwn(args, name)) as string; // undefined when no argument is missing
}

const MISSING: Readonly<Record<string, string>> = {
  deploy: 'Deploying is not installed',
  engineering: 'Engineering is not installed',
  diagnose: 'Diagnosing is not installed',
  admin: 'Admin is not installed',
};
const ANSWERS = [
  ["You're welcome", 'thanks'],
  ['I can do this', 'help'],
  ['I only understand', 'unclear'],
  ['I did not understand', 'unclear'],
] as const;

const isUnderstood = ({ text, expect: intent, args = {}, asks }: Phrasing): boolean => {
  const got = understood(firstStep(text));
  return (
    got.intent === intent &&
    got.asks === asks &&
    Object.entries(args).every(([name, value]) => (got.args as Record<string, unknown>)[name] === value)
  );
};

describe('the offline planner', () => {
  it.each(phrasings.filter(({ set }) => set === 'development'))(
    'derives the expected intent and arguments from “$text”',
    ({ text, expect: intent, args = {}, asks }) => {
      const got = understood(firstStep(text));
      expect(got).toMatchObject({ intent, args, ...(asks === undefined ? {} : { asks }) });
    },
  );

  it('understands nine of ten sentences that were held out from its development', () => {
    const heldOut = phrasings.filter(({ set }) => set === 'held-out');
    expect(heldOut.filter(isUnderstood).length / heldOut.length).toBeGreaterThanOrEqual(0.9);
  });
});
