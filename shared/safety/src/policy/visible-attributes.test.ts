import * as cedar from '@cedar-policy/cedar-wasm/nodejs';
import { beforeAll, describe, expect, it } from 'vitest';
import { ActionEnvironment, Risk } from '@signalbox/contracts/governance/action';
import { Role } from '@signalbox/contracts/governance/roles';
import { createEngine } from './engine.ts';
import { createLocalTime } from './local-time.ts';
import { toCallQuestion, CallOutline } from './outline.ts';
import { readPolicyFolder } from './policy-set.ts';
import { toCallResource, toClassEntity, toPersonEntity, toAuthorizationCall } from './request.ts';
import { readRules, type RuleSet } from './rules.ts';
import { POLICY_FOLDER } from './settings.ts';
import { toCacheKey, readVisibleAttributes, type VisibleAttributes } from './visible-attributes.ts';

/** Fallback for a missing slice; it would make all questions equal. */
const NOTHING: VisibleAttributes = { attributes: new Set(), tags: false, people: false };

let schema: string;
let shipped: RuleSet;
beforeAll(async () => {
  const { files, version } = await readPolicyFolder(POLICY_FOLDER);
  shipped = readRules(files, version);
  schema = files.find(({ name }) => name === 'schema.cedarschema')?.text ?? '';
});

function readFromText(when: string) {
  const parsed = cedar.policyToJson(`forbid (principal, action, resource) when { ${when} };`);
  if (parsed.type === 'failure') throw new Error(parsed.errors[0]?.message);
  const { attributes, tags } = readVisibleAttributes([parsed.json]);
  return { attributes: attributes === 'all' ? 'all' : [...attributes].sort(), tags };
}

function rulesOf(...policies: readonly string[]): RuleSet {
  const text = policies.map((policy, i) => `@id("r${i}") @reason("R.") ${policy}`).join('\n');
  return readRules(
    [
      { name: 'schema.cedarschema', text: schema },
      { name: 'rules.cedar', text },
    ],
    text,
  );
}

/** Rules for actions, and whether they may tell two people of one role apart. */
const PEOPLE_APART = [
  ['permit (principal, action == Action::"run", resource);', false],
  ['permit (principal is User, action == Action::"run", resource);', false],
  ['permit (principal in Role::"admin", action == Action::"run", resource);', false],
  ['forbid (principal, action == Action::"run", resource) unless { principal in Role::"admin" };', false],
  ['permit (principal == AgentClass::"WRITE_GATED", action == Action::"run", resource);', false],
  ['forbid (principal == User::"2", action == Action::"run", resource);', true],
  ['forbid (principal in User::"2", action == Action::"run", resource);', true],
  ['forbid (principal is User in User::"2", action == Action::"run", resource);', true],
  ['forbid (principal is User, action == Action::"run", resource) when { principal == User::"2" };', true],
  ['forbid (principal is User, action == Action::"run", resource) when { principal in User::"2" };', true],
  ['forbid (principal is User, action == Action::"run", resource) when { principal in [User::"2", User::"3"] };', true],
  ['forbid (principal is User, action == Action::"run", resource) when { [User::"2"].contains(principal) };', true],
  ['forbid (principal is User, action == Action::"run", resource) when { User::"2" in principal };', true],
  [
    'forbid (principal is User, action == Action::"run", resource) when { {"in": principal} == {"in": User::"2"} };',
    true,
  ],
  [
    'forbid (principal is User, action == Action::"run", resource) when { (if true then principal else principal) in User::"2" };',
    true,
  ],
] as const;

describe('readVisibleAttributes', () => {
  it.each(PEOPLE_APART)('finds whether the rule %s tells people apart: %s', (rule, people) => {
    const parsed = cedar.policyToJson(rule);
    if (parsed.type === 'failure') throw new Error(parsed.errors[0]?.message);
    expect(readVisibleAttributes([parsed.json]).people).toBe(people);
  });

  it.each([
    ['true', [], false],
    ['resource.risk == Risk::"safe" && context.frozen', ['frozen', 'risk'], false],
    ['context has callsLeft', ['callsLeft'], false],
    ['resource.call.risk == Risk::"safe"', ['call', 'risk'], false],
    ['(if context.frozen then resource else principal).tainted', ['frozen', 'tainted'], false],
    ['resource.hasTag("version")', [], true],
    ['resource.numbers.getTag("n") > 1', ['numbers'], true],
    ['context == {frozen: true}', 'all', false],
    ['[context].contains({frozen: true})', 'all', false],
    ['{"has": context.frozen} == {"has": true}', 'all', false],
  ])('finds that the condition %s reads the attributes %j and reads tags: %s', (when, attributes, tags) => {
    const seen = readFromText(when);
    expect(seen.tags).toBe(tags);
    expect(seen.attributes).toEqual(attributes);
  });

  it('policy questions with the same cache key get the same answer from the policy engine', () => {
    const everything = 'permit (principal, action, resource);';
    const sets = [
      shipped,
      rulesOf(
        everything,
        'forbid (principal, action == Action::"run", resource) when { resource.hasTag("name") && resource.getTag("name") == "y" };',
      ),
      rulesOf(
        everything,
        'forbid (principal, action == Action::"run", resource) when { resource.numbers.hasTag("n") && context.hour > 9 };',
      ),
      rulesOf(
        everything,
        'forbid (principal, action == Action::"run", resource) when { resource.score > 500 && resource in Tool::"a" };',
      ),
      ...PEOPLE_APART.map(([rule]) => rulesOf(everything, rule)),
      rulesOf(
        everything,
        'forbid (principal is User, action, resource) when { context has callsLeft && context.callsLeft < 2 };',
      ),
    ];
    const values = {
      tool: ['a', 'b'],
      role: Role.options,
      risk: Risk.options,
      environment: ActionEnvironment.options,
      arguments: [{}, { name: 'x' }, { name: 'y' }, { n: 1 }, { n: 2, name: 'x' }],
      tainted: [false, true],
      frozen: [false, true],
      hour: [8, 12],
      person: ['1', '2'],
    };
    const usual = { role: 'developer', risk: 'sensitive', arguments: { name: 'x' }, hour: 8, person: '1' };
    const cases = sets.flatMap((set) =>
      ['person', 'agent'].flatMap((asks) => Object.keys(values).map((field) => ({ set, asks, field }))),
    );
    let alike = 0;
    for (const { set, asks, field } of cases) {
      const answers = new Map<string, ReturnType<typeof evaluate>>();
      for (const value of values[field as keyof typeof values]) {
        const { hour, person, ...given } = { ...usual, [field]: value };
        const { principal, action, context } = toCallQuestion(CallOutline.parse(given));
        const subject = toCallResource(action, context, { date: 20_260_114, weekday: 3, hour, minute: 0 });
        const who = asks === 'agent' ? toClassEntity('WRITE_GATED') : toPersonEntity(person, principal.role);
        const call = toAuthorizationCall(set.id, 'run', who, subject);
        const seen = toCacheKey(set.visible.get(call.preparsedPolicySetId) ?? NOTHING, call);
        const said = evaluate(call);
        const known = answers.get(seen) ?? said;
        alike += answers.has(seen) ? 1 : 0;
        expect({ field, value, said }).toEqual({ field, value, said: known });
        answers.set(seen, said);
      }
    }
    expect(alike).toBeGreaterThan(50); // otherwise the test compared nothing
  });
});

function evaluate(call: Parameters<typeof cedar.statefulIsAuthorized>[0]) {
  const answer = cedar.statefulIsAuthorized(call);
  if (answer.type === 'failure') throw new Error(answer.errors[0]?.message);
  return { decision: answer.response.decision, reason: answer.response.diagnostics.reason.toSorted() };
}

describe('a cached decision of the policy engine', () => {
  it('is not used for a malformed question or for another person', () => {
    const engine = createEngine(shipped, shipped.id, 'UTC');
    const question = toCallQuestion(CallOutline.parse({ role: 'developer', risk: 'sensitive' }));
    expect(engine.decide(question)).toMatchObject({ effect: 'run' });
    const { assessment } = question.action;
    const odd: readonly object[] = [
      { assessment: { ...assessment, score: Number.NaN } },
      { assessment: { ...assessment, score: 'high' } },
      { resources: undefined },
      { environment: 'moon' },
    ];
    for (const change of odd) {
      const decision = engine.decide({ ...question, action: { ...question.action, ...change } });
      expect(decision).toMatchObject({ effect: 'deny', rule: 'policy-error' });
    }
    const channel = 7 as unknown as string; // a type error on purpose
    expect(engine.decide({ ...question, context: { ...question.context, channel } })).toMatchObject({ effect: 'deny' });
    const viewer = { ...question.principal, role: 'viewer' as const };
    expect(engine.decide({ ...question, principal: viewer })).toMatchObject({ effect: 'deny' });
    expect(engine.decide({ ...question, action: { ...question.action, arguments: { other: 'x' } } })).toMatchObject({
      effect: 'run',
    });
  });
});

it('the local time for policy rules is computed once per minute', () => {
  const localTime = createLocalTime('Europe/Berlin');
  const first = localTime('2026-07-01T21:59:00Z');
  expect(localTime('2026-07-01T21:59:59.999Z')).toBe(first);
  expect(localTime('2026-07-01T22:00:00Z')).toEqual({ date: 20_260_702, weekday: 4, hour: 0, minute: 0 });
});
