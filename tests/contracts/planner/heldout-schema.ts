import { z } from 'zod';

/** Free text that must contain each of these words or phrases, in any case; whatever else it says is free. */
const FreeText = z.strictObject({ words: z.array(z.string().min(1)).min(1) });

const Argument = z.union([z.string().min(1), z.number(), z.boolean(), FreeText]);
const Arguments = z.record(z.string().min(1), Argument);
const PlainArguments = z.record(z.string().min(1), z.union([z.string(), z.number(), z.boolean()]));

/**
 * A reaction. Of a call all arguments are listed: one that is missing here must not be there, unless it says no more than the
 * default of its schema. Several calls happen in the order given. `asks` is an open question for that argument of that tool.
 * `says` is an answer without any call: `cancelled` also when there was nothing to cancel and nothing is done, `cannot` when no
 * group exists for it. Moving to load a group (`request_capabilities`) is part of the way and not counted.
 */
const HeldoutExpectation = z.union([
  z.strictObject({ calls: z.array(z.strictObject({ tool: z.string().min(1), arguments: Arguments })).min(1) }),
  z.strictObject({ asks: z.strictObject({ tool: z.string().min(1), argument: z.string().min(1) }) }),
  z.strictObject({ says: z.literal('not-installed'), group: z.string().min(1) }),
  z.strictObject({ says: z.enum(['help', 'cannot', 'small-talk', 'cancelled', 'finished']) }),
  z.strictObject({ searches: z.literal(true) }),
]);
export type HeldoutExpectation = z.infer<typeof HeldoutExpectation>;

/** What went before. `messages` are what both sides read; the rest is what stands behind them. */
const Context = z.strictObject({
  messages: z.array(z.strictObject({ from: z.enum(['person', 'signalbox']), text: z.string().min(1) })),
  /** The project that the conversation is about. */
  project: z.string().min(1).optional(),
  /** The question that is open, with the arguments that were known when it was asked. */
  question: z
    .strictObject({
      tool: z.string().min(1),
      argument: z.string().min(1),
      arguments: PlainArguments.default({}),
      choices: z.array(z.string().min(1)).optional(),
    })
    .optional(),
  /** The last tool that ran, and the part of its result that the message tells. */
  lastTool: z
    .strictObject({
      tool: z.string().min(1),
      arguments: PlainArguments,
      result: z.record(z.string(), z.unknown()).optional(),
    })
    .optional(),
});

/** One request as somebody types it, with what a careful colleague who has only these tools would do. */
const HeldoutRequest = z.strictObject({
  id: z.string().regex(/^(heldout|development|spoken)-\d{3}$/),
  /** What is difficult about it. */
  kind: z.enum([
    'plain',
    'odd-name',
    'several',
    'follow-up',
    'near-miss',
    'done',
    'cancel',
    'help',
    'small-talk',
    'cannot',
    'not-installed',
    'knowledge',
    // Those below only occur in the spoken requests.
    'correction',
    'stated',
    'conditional',
    'trade-name',
    'unsafe',
  ]),
  /** The kind of person who types it. */
  author: z.string().min(1),
  /**
   * `installed` are the capabilities that the worker had when the requests were written; `installed+ops` adds OPS_GROUPS in the
   * place of the groups they name. `everything` are all that it has now.
   */
  catalog: z.enum(['installed', 'installed+ops', 'everything']),
  text: z.string().min(1),
  context: Context.optional(),
  /** Known names by the kind of entity. */
  names: z.record(z.string(), z.array(z.string().min(1))),
  expect: HeldoutExpectation,
  alternatives: z.array(HeldoutExpectation).min(1).optional(),
  /** Tools that must not be called, whatever else happens: calling one is worse than not understanding. */
  never: z.array(z.string().min(1)).min(1).optional(),
});
export type HeldoutRequest = z.infer<typeof HeldoutRequest>;

/** A whole file. Throws a ZodError when an entry is malformed, or when an id or a text with its story appears twice. */
export const HeldoutFile = z.strictObject({ requests: z.array(HeldoutRequest).min(1) }).superRefine((file, context) => {
  const seen = new Set<string>();
  for (const { id, text, context: story, catalog } of file.requests) {
    for (const key of [id, JSON.stringify([text.toLowerCase(), catalog, story])]) {
      if (seen.has(key)) context.addIssue({ code: 'custom', message: `${id} is there twice: ${text}` });
      seen.add(key);
    }
  }
});
