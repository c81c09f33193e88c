import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import { PolicyEffect } from '@signalbox/contracts/governance/decision';
import { Role } from '@signalbox/contracts/governance/roles';
import type { ExplainingEngine } from './engine.ts';
import {
  toApproverQuestion,
  ApproverOutline,
  toCallQuestion,
  CallOutline,
  toGroupQuestion,
  GroupOutline,
} from './outline.ts';
import type { PolicyFile, PolicyProblem } from './problems.ts';
import type { Rule } from './rules.ts';

const expectedRules = {
  /** The id of the rule that the answer must name. */
  rule: z.string().min(1),
  /** The ids of further rules that must contribute to the answer. */
  because: z.array(z.string()).default([]),
};

const ExpectedPermission = z.strictObject({ allowed: z.boolean(), ...expectedRules });

const ExpectedDecision = z.strictObject({
  effect: PolicyEffect,
  ...expectedRules,
  approvals: z.int().optional(),
  approver: Role.optional(),
  expiresMinutes: z.number().optional(),
  solo: z.boolean().optional(),
});

const says = z.string().min(1);

/** One example for a policy set: a title, the values of a question, and the expected answer. */
const Example = z.union([
  z.strictObject({ says, decide: CallOutline, expect: ExpectedDecision }),
  z.strictObject({ says, approve: ApproverOutline, expect: ExpectedPermission }),
  z.strictObject({ says, load: GroupOutline, expect: ExpectedPermission }),
]);
type Example = z.infer<typeof Example>;

/**
 * Runs the examples of a set. Returns failed and unreadable examples, and rules that decide no example; empty when all pass. Yields to
 * other work between examples.
 */
export async function runExamples(
  engine: ExplainingEngine,
  rules: ReadonlyMap<string, Rule>,
  files: readonly PolicyFile[],
): Promise<readonly PolicyProblem[]> {
  const problems: PolicyProblem[] = [];
  const testedRules = new Set<string>();
  for (const file of files.filter(({ name }) => isExampleFile(name))) {
    for (const example of readExamples(file, problems)) {
      await setImmediate();
      const failure = checkExample(engine, file, example);
      if (failure) problems.push(failure);
      else [example.expect.rule, ...example.expect.because].forEach((id) => testedRules.add(id));
    }
  }
  const untested = [...rules.values()].filter(({ id }) => !testedRules.has(id));
  const advice = 'no example that holds is decided by it; add one to examples/ that names it as rule or in because';
  return [...problems, ...untested.map(({ file, line, id }) => ({ file, line, rule: id, says: advice }))];
}

export function isExampleFile(name: string): boolean {
  return name.startsWith('examples/') && name.endsWith('.json');
}

function readExamples(file: PolicyFile, problems: PolicyProblem[]): readonly Example[] {
  let list: unknown;
  try {
    list = JSON.parse(file.text);
  } catch (error) {
    problems.push({ file: file.name, says: `is no JSON: ${error instanceof Error ? error.message : String(error)}` });
    return [];
  }
  if (!Array.isArray(list)) {
    problems.push({ file: file.name, says: 'is a list of examples: [{"says": …, "decide": {…}, "expect": {…}}]' });
    return [];
  }
  return list.flatMap((item: unknown, index) => {
    const parsed = schemaOf(item).safeParse(item);
    if (parsed.success) return [parsed.data];
    const detail = parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'it'}: ${message}`).join('; ');
    problems.push({ file: file.name, says: `example ${index + 1} cannot be read: ${detail}` });
    return [];
  });
}

/** Finds the schema for the item's verb, so that an error message names one schema instead of three. */
function schemaOf(item: unknown): z.ZodType<Example> {
  const wanted = Example.options.find(({ shape }) =>
    ['decide', 'approve', 'load'].some((verb) => verb in shape && typeof item === 'object' && item && verb in item),
  );
  return wanted ?? Example.options[0];
}

function checkExample(engine: ExplainingEngine, file: PolicyFile, example: Example): PolicyProblem | null {
  const { rule, because: wanted } = example.expect;
  const { expected, got, named, because } = runExample(engine, example);
  if (expected === got && wanted.every((id) => because.includes(id))) return null;
  return {
    file: file.name,
    rule,
    says: `the example '${example.says}' fails.`,
    expected: [expected, ...wanted].join(' with '),
    got: [got, ...because.filter((id) => id !== named)].join(' with '),
  };
}

function runExample(engine: ExplainingEngine, example: Example) {
  if ('decide' in example) {
    const { effect, rule, approvals, approver, expiresMinutes, solo } = example.expect;
    const { answer, because } = engine.explainCall(toCallQuestion(example.decide));
    const given = answer.approval;
    const terms = [
      approvals === undefined ? null : [`${approvals} approvals`, `${given?.approvals} approvals`],
      approver === undefined ? null : [`approver ${approver}`, `approver ${given?.role}`],
      expiresMinutes === undefined ? null : [`${expiresMinutes} min`, `${(given?.expiresMs ?? 0) / 60_000} min`],
      solo === undefined ? null : [`solo ${solo}`, `solo ${given?.solo}`],
    ].filter((pair) => pair !== null);
    return {
      expected: [`${effect} by ${rule}`, ...terms.map(([text]) => text)].join(', '),
      got: [`${answer.effect} by ${answer.rule}`, ...terms.map(([, text]) => text)].join(', '),
      named: answer.rule,
      because,
    };
  }
  const { answer, because } =
    'approve' in example
      ? engine.explainApprover(toApproverQuestion(example.approve))
      : engine.explainLoad(toGroupQuestion(example.load));
  const { allowed, rule } = example.expect;
  return {
    expected: describePermission(allowed, rule),
    got: describePermission(answer.allowed, answer.rule),
    named: answer.rule,
    because,
  };
}

function describePermission(allowed: boolean, rule: string): string {
  return `${allowed ? 'allowed' : 'denied'} by ${rule}`;
}
