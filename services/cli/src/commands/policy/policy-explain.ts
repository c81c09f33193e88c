import { ProposedAction } from '@signalbox/contracts/governance/action';
import { PolicyQuestion, type PermissionDecision, type PolicyDecision } from '@signalbox/contracts/governance/decision';
import { Role } from '@signalbox/contracts/governance/roles';
import { parseJson } from '@signalbox/contracts/system-error';
import type { ExplainedAnswer, ExplainingEngine } from '@signalbox/safety/policy/engine';
import {
  toApproverQuestion,
  ApproverOutline,
  toCallQuestion,
  CallOutline,
  toGroupQuestion,
  GroupOutline,
} from '@signalbox/safety/policy/outline';
import type { PolicySet } from '@signalbox/safety/policy/policy-set';
import { sayDuration } from '@signalbox/messages/duration';
import { z } from 'zod';
import { UsageError, type CommandContext, type CommandResult } from '../../command.ts';
import { answerLines, describeIssues, parseRequestLine, type LineProblem } from '../../json-lines.ts';

const USAGE =
  'Write `policy explain name=value …`, such as role=developer risk=dangerous environment=production arguments.version=1.4.2, or an object on standard input; with --jsonl one per line. docs/policy.md lists the names.';

interface Explanation extends PolicyDecision {
  readonly because: readonly string[];
  /** The error when the rules could not be evaluated. */
  readonly detail?: string;
  /** Roles that could approve; empty when no approval is needed. */
  readonly approvers: readonly Role[];
}

type PolicyAnswer = Explanation | (PermissionDecision & Pick<Explanation, 'because' | 'detail'>);

/** `policy explain`: answers any policy question without effects. Needs no server. */
export async function runPolicyExplain(
  context: CommandContext,
  words: readonly string[],
  { engine }: PolicySet,
): Promise<CommandResult> {
  if (context.arguments.jsonl) {
    if (words.length > 0) throw new UsageError(USAGE);
    return answerLines(context, (asked) => explain(engine, asked));
  }
  const answer = explain(engine, words.length > 0 ? readWords(words) : await readInput(context));
  if ('error' in answer) throw new UsageError(`${answer.error}\n\n${USAGE}`);
  return { ok: true, data: answer, lines: describe(answer) };
}

async function readInput({ input }: CommandContext): Promise<unknown> {
  if ('isTTY' in input && input.isTTY === true) throw new UsageError(USAGE);
  const text = (await input.setEncoding('utf8').toArray()).join('');
  if (text.trim() === '') throw new UsageError(USAGE);
  return parseRequestLine(text).asked;
}

/** Forms of questions by their distinguishing field; outlines of calls have none of these fields. */
const FORMS = { approve: ApproverOutline, load: GroupOutline, decide: CallOutline } as const;

function explain(engine: ExplainingEngine, question: unknown): PolicyAnswer | LineProblem {
  if (typeof question !== 'object' || question === null || Array.isArray(question))
    return { error: 'This is no JSON object. Write one per line, such as {"role": "developer", "risk": "dangerous"}.' };
  if ('principal' in question) return parseAndAnswer(PolicyQuestion, question, (whole) => explainCall(engine, whole));
  if ('requester' in question)
    return parseAndAnswer(ProposedAction, question, (action) => explainCall(engine, toCurrentQuestion(action)));
  if ('approve' in question) {
    return parseAndAnswer(z.strictObject({ approve: FORMS.approve }), question, ({ approve }) =>
      flatten(engine.explainApprover(toApproverQuestion(approve))),
    );
  }
  if ('load' in question) {
    return parseAndAnswer(z.strictObject({ load: FORMS.load }), question, ({ load }) =>
      flatten(engine.explainLoad(toGroupQuestion(load))),
    );
  }
  const outline = 'decide' in question ? question : { decide: question };
  return parseAndAnswer(z.strictObject({ decide: FORMS.decide }), outline, ({ decide }) =>
    explainCall(engine, toCallQuestion(decide)),
  );
}

function parseAndAnswer<S extends z.ZodType>(
  schema: S,
  question: unknown,
  answer: (parsed: z.output<S>) => PolicyAnswer,
): PolicyAnswer | LineProblem {
  const parsed = schema.safeParse(question);
  return parsed.success ? answer(parsed.data) : { error: `${describeIssues(parsed.error)}.` };
}

/** Converts a stored proposal to a question for now, without freeze, spent budget or grants. */
function toCurrentQuestion({ requester, agentClass, ...action }: ProposedAction): PolicyQuestion {
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

function flatten({ answer, ...why }: ExplainedAnswer<PermissionDecision>) {
  return { ...answer, ...why };
}

/** Parses words like `a.b=c` to an object. JSON values are parsed (`true`, `3`, `["x"]`); other values are text. */
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

function describe(answer: PolicyAnswer): readonly string[] {
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
