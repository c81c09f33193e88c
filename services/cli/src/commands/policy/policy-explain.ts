import { ProposedAction } from '@signalbox/contracts/governance/action';
import { PolicyQuestion, type Permission, type PolicyDecision } from '@signalbox/contracts/governance/decision';
import { Role } from '@signalbox/contracts/governance/roles';
import { parseJson } from '@signalbox/contracts/system-error';
import type { Explained, ExplainingEngine } from '@signalbox/safety/policy/engine';
import {
  toApproverQuestion,
  ApproverOutline,
  toCallQuestion,
  CallOutline,
  toLoadQuestion,
  LoadOutline,
} from '@signalbox/safety/policy/outline';
import type { PolicySet } from '@signalbox/safety/policy/policy-set';
import { sayDuration } from '@signalbox/messages/duration';
import { z } from 'zod';
import { UsageError, type CommandContext, type Report } from '../../command.ts';
import { answerLines, describeIssues, readObject, type LineProblem } from '../../json-lines.ts';

const USAGE =
  'Write `policy explain name=value …`, such as role=developer risk=dangerous environment=production arguments.version=1.4.2, or an object on standard input; with --jsonl one per line. docs/policy.md lists the names.';

/** What would be decided about a call, and what it would take. */
interface Explanation extends PolicyDecision {
  /** Every rule that had a part. */
  readonly because: readonly string[];
  /** What went wrong when the rules could not be evaluated. */
  readonly detail?: string;
  /** The roles of others whose approval would count; empty when none is asked for. */
  readonly approvers: readonly Role[];
}

type Answer = Explanation | (Permission & Pick<Explanation, 'because' | 'detail'>);

/** `policy explain`: what the rules say to any question, without doing anything. Needs no database and no Redis. */
export async function runPolicyExplain(
  context: CommandContext,
  words: readonly string[],
  { engine }: PolicySet,
): Promise<Report> {
  if (context.arguments.jsonl) {
    if (words.length > 0) throw new UsageError(USAGE);
    return answerLines(context, (asked) => explain(engine, asked));
  }
  const answer = explain(engine, words.length > 0 ? readWords(words) : await readInput(context));
  if ('error' in answer) throw new UsageError(`${answer.error}\n\n${USAGE}`);
  return { ok: true, data: answer, lines: describe(answer) };
}

/** One object on standard input, over as many lines as it likes. A terminal without input does not wait. */
async function readInput({ input }: CommandContext): Promise<unknown> {
  if ('isTTY' in input && input.isTTY === true) throw new UsageError(USAGE);
  const text = (await input.setEncoding('utf8').toArray()).join('');
  if (text.trim() === '') throw new UsageError(USAGE);
  return readObject(text).asked;
}

/** The questions that are understood, by a name that only they have; a call in few words has none of them. */
const FORMS = { approve: ApproverOutline, load: LoadOutline, decide: CallOutline } as const;

function explain(engine: ExplainingEngine, question: unknown): Answer | LineProblem {
  if (typeof question !== 'object' || question === null || Array.isArray(question))
    return { error: 'This is no JSON object. Write one per line, such as {"role": "developer", "risk": "dangerous"}.' };
  if ('principal' in question) return answerTo(PolicyQuestion, question, (whole) => explainCall(engine, whole));
  if ('requester' in question)
    return answerTo(ProposedAction, question, (action) => explainCall(engine, askedNow(action)));
  if ('approve' in question) {
    return answerTo(z.strictObject({ approve: FORMS.approve }), question, ({ approve }) =>
      flatten(engine.explainApprover(toApproverQuestion(approve))),
    );
  }
  if ('load' in question) {
    return answerTo(z.strictObject({ load: FORMS.load }), question, ({ load }) =>
      flatten(engine.explainLoad(toLoadQuestion(load))),
    );
  }
  const outline = 'decide' in question ? question : { decide: question };
  return answerTo(z.strictObject({ decide: FORMS.decide }), outline, ({ decide }) =>
    explainCall(engine, toCallQuestion(decide)),
  );
}

function answerTo<S extends z.ZodType>(
  schema: S,
  question: unknown,
  answer: (parsed: z.output<S>) => Answer,
): Answer | LineProblem {
  const parsed = schema.safeParse(question);
  return parsed.success ? answer(parsed.data) : { error: `${describeIssues(parsed.error)}.` };
}

/** A frozen proposal as a question about this moment, when nothing is frozen, spent or granted. */
function askedNow({ requester, agentClass, ...action }: ProposedAction): PolicyQuestion {
  const { context } = toCallQuestion(CallOutline.parse({ at: new Date().toISOString() }));
  return { principal: { ...requester, agentClass }, action, context };
}

function explainCall(engine: ExplainingEngine, question: PolicyQuestion): Explanation {
  const { answer, ...why } = engine.explainCall(question);
  const { action, context, principal } = question;
  const mayApprove = (role: Role): boolean =>
    engine.mayApprove({
      approver: { userKey: `somebody else than ${principal.userKey}`, role },
      authors: [principal.userKey],
      action,
      context,
      ageMs: 0,
    }).allowed;
  const approvers = answer.effect === 'ask' ? Role.options.filter(mayApprove) : [];
  return { ...answer, ...why, approvers };
}

function flatten({ answer, ...why }: Explained<Permission>) {
  return { ...answer, ...why };
}

/** `a.b=c` as an object. What reads as JSON is that (`true`, `3`, `["x"]`), anything else is text; so are arguments in quotes. */
function readWords(words: readonly string[]): Record<string, unknown> {
  const question: Record<string, unknown> = {};
  const args: Record<string, unknown> = {};
  for (const word of words) {
    const [, name, text = ''] = /^([A-Za-z_][\w.]*)=(.*)$/s.exec(word) ?? [];
    if (name === undefined) throw new UsageError(`'${word}' is no name=value.\n\n${USAGE}`);
    const argument = /^arguments\.(.+)$/.exec(name)?.[1];
    if (argument === undefined) question[name] = readValue(text);
    else args[argument] = readValue(text);
  }
  return Object.keys(args).length > 0 ? { ...question, arguments: args } : question;
}

function readValue(text: string): unknown {
  const value = parseJson(text);
  return value === undefined ? text : value;
}

function describe(answer: Answer): readonly string[] {
  const because = [
    ...(answer.because.length > 0 ? [`because   ${answer.because.join(', ')}`] : []),
    ...(answer.detail === undefined ? [] : [`detail    ${answer.detail}`]),
  ];
  if ('allowed' in answer)
    return [
      `allowed   ${answer.allowed ? 'yes' : 'no'}`,
      `rule      ${answer.rule}`,
      `says      ${answer.sentence}`,
      ...because,
    ];
  const { approval, approvers, effect } = answer;
  const others = approvers.length > 0 ? approvers.join(' or ') : 'nobody';
  const who = effect === 'confirm' ? 'whoever asked' : others;
  const alone = approval?.solo ? '; alone, the requester after a pause' : '';
  const asked = approval
    ? [`approval  ${approval.approvals} by ${who}, within ${sayDuration(approval.expiresMs)}${alone}`]
    : [];
  return [
    `effect    ${answer.effect}`,
    `rule      ${answer.rule}`,
    `says      ${answer.sentence}`,
    ...asked,
    ...because,
  ];
}
