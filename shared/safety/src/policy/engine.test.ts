import { beforeAll, describe, expect, it } from 'vitest';
import { AgentClass, ActionEnvironment, Risk } from '@signalbox/contracts/governance/action';
import { Role } from '@signalbox/contracts/governance/roles';
import fc from 'fast-check';
import type { ExplainingEngine } from './engine.ts';
import { createEngine } from './engine.ts';
import {
  toApproverQuestion,
  ApproverOutline,
  toCallQuestion,
  CallOutline,
  toGroupQuestion,
  GroupOutline,
} from './outline.ts';
import { readPolicyFolder } from './policy-set.ts';
import { readRules } from './rules.ts';
import { POLICY_FOLDER } from './settings.ts';

type CallInput = Parameters<typeof CallOutline.parse>[0];

let engine: ExplainingEngine;
let schema: string;

beforeAll(async () => {
  const shipped = await readPolicyFolder(POLICY_FOLDER);
  engine = createEngine(readRules(shipped.files, shipped.version), shipped.version, 'Europe/Berlin');
  schema = shipped.files.find(({ name }) => name === 'schema.cedarschema')?.text ?? '';
}, 30_000); // the longest a test may take

const decide = (input: CallInput, asked = engine) => asked.decide(toCallQuestion(CallOutline.parse(input)));
const mayApprove = (input: Record<string, unknown>, asked = engine) =>
  asked.mayApprove(toApproverQuestion(ApproverOutline.parse(input)));

/** An engine with only these policies. */
function engineOf(...policies: readonly string[]): ExplainingEngine {
  const files = [
    { name: 'schema.cedarschema', text: schema },
    { name: 'rules.cedar', text: policies.join('\n') },
  ];
  const version = policies.join('\n');
  return createEngine(readRules(files, version), version, 'UTC');
}

const CLASS = '@id("class") @reason("C.") permit (principal is AgentClass, action, resource);';
const EVERYTHING = '@id("all") @reason("All.") permit (principal, action, resource);';

describe('a policy engine', () => {
  it('denies a call that no rule permits, and names who asked', () => {
    expect(decide({ role: 'admin' }, engineOf(CLASS))).toMatchObject({
      effect: 'deny',
      rule: 'default-deny',
      sentence: 'No rule permits this to somebody with the role admin.',
      approval: null,
    });
    const people = engineOf('@id("people") @reason("P.") permit (principal is User, action, resource);');
    expect(decide({ agentClass: 'WRITE_GATED' }, people)).toMatchObject({
      effect: 'deny',
      rule: 'default-deny',
      sentence: 'No rule permits this to agents of the class WRITE_GATED.',
    });
    expect(mayApprove({ role: 'admin' }, engineOf(CLASS))).toMatchObject({ allowed: false, rule: 'default-deny' });
  });

  it('asks for confirmation of calls that may run, not of calls that need approval or are denied', () => {
    const confirm =
      '@id("tap") @reason("T.") @expires("5m") permit (principal, action == Action::"confirm", resource);';
    const stop = (verbs: string) =>
      `@id("stop") @reason("S.") forbid (principal is User, action in [${verbs}], resource);`;
    expect(decide({ leastRole: 'developer' }, engineOf(EVERYTHING, confirm))).toMatchObject({
      effect: 'confirm',
      rule: 'tap',
      approval: { approvals: 1, role: 'developer', expiresMs: 300_000, solo: false },
    });
    expect(decide({}, engineOf(EVERYTHING, confirm, stop('Action::"run"')))).toMatchObject({
      effect: 'ask',
      rule: 'stop',
      approval: { role: 'operator' },
    });
    const never = engineOf(EVERYTHING, confirm, stop('Action::"run", Action::"request"'));
    expect(decide({}, never)).toMatchObject({ effect: 'deny', rule: 'stop' });
    expect(decide({}, engineOf(confirm))).toMatchObject({ effect: 'deny', rule: 'default-deny' });
    expect(() => engineOf(EVERYTHING, confirm.replace('@expires("5m")', '@approvals("2")'))).toThrow('only @expires');
  });

  it('accepts a stored policy set from before the action “confirm” existed', () => {
    const older = schema.replace('action run, confirm, request', 'action run, request');
    const files = [
      { name: 'schema.cedarschema', text: older },
      { name: 'rules.cedar', text: EVERYTHING },
    ];
    expect(decide({}, createEngine(readRules(files, 'older'), 'older', 'UTC'))).toMatchObject({ effect: 'run' });
  });

  it('denies an action that its tool refuses, although a rule permits it', () => {
    const input = toCallQuestion(CallOutline.parse({ role: 'admin' }));
    const assessment = { ...input.action.assessment, refusal: 'It removes everything.' };
    const asked = { ...input, action: { ...input.action, assessment } };
    expect(engineOf(EVERYTHING).decide(asked)).toMatchObject({
      effect: 'deny',
      rule: 'refused',
      sentence: 'It removes everything.',
      approval: null,
    });
  });

  it('denies a call that one rule forbids, although another rule permits it', () => {
    const forbidding = engineOf(
      EVERYTHING,
      '@id("no") @reason("No.") forbid (principal is User, action in [Action::"run", Action::"request"], resource);',
    );
    expect(decide({ role: 'admin' }, forbidding)).toMatchObject({ effect: 'deny', rule: 'no', sentence: 'No.' });
    expect(decide({ role: 'admin' }, engineOf(EVERYTHING))).toMatchObject({ effect: 'run', rule: 'all' });
  });

  it('denies a call when a rule cannot be evaluated, although another rule permits it', () => {
    const overflowing = engineOf(
      EVERYTHING,
      `@id("sum") @reason("S.") forbid (principal, action == Action::"run", resource)
       when { resource.numbers.hasTag("n") && resource.numbers.getTag("n") * 9223372036854775807 > 5 };`,
    );
    expect(decide({ arguments: { n: 1 } }, overflowing)).toMatchObject({ effect: 'ask', rule: 'sum' });
    const decision = decide({ arguments: { n: 2 } }, overflowing);
    expect(decision).toMatchObject({ effect: 'deny', rule: 'policy-error' });
    expect(decision.sentence).toBe('The rule sum could not be evaluated, so this is refused.');
    const { detail } = overflowing.explainCall(toCallQuestion(CallOutline.parse({ arguments: { n: 2 } })));
    expect(detail).toContain('overflow');
  });

  it('denies a question with a bad time, an unknown class or too many arguments', () => {
    const question = toCallQuestion(CallOutline.parse({}));
    const ask = (change: object) => engine.decide({ ...question, ...change });
    expect(ask({ context: { ...question.context, at: 'yesterday' } })).toMatchObject({ rule: 'policy-error' });
    expect(ask({ principal: { ...question.principal, agentClass: 'ROOT' } })).toMatchObject({ rule: 'policy-error' });
    const many = Array.from({ length: 1_001 }, (_, index) => index);
    expect(decide({ arguments: { many } })).toMatchObject({
      effect: 'deny',
      rule: 'policy-error',
      sentence: 'More than 1000 arguments cannot be looked at, so this is refused.',
    });
    expect(decide({ arguments: { a: { b: 1 }, 'a.b': 2 } })).toMatchObject({ effect: 'deny', rule: 'policy-error' });
    expect(mayApprove({ role: 'admin', arguments: { many } })).toMatchObject({ allowed: false, rule: 'policy-error' });
    expect(decide({})).toMatchObject({ effect: 'run' });
  });

  it('combines the strictest approval terms of all matching rules, and names the strictest rule', () => {
    const rule = (id: string, terms: string) =>
      `@id("${id}") @reason("${id}.") ${terms} permit (principal is User, action == Action::"request", resource);`;
    const asking = engineOf(
      CLASS,
      rule('slow', '@approvals("3") @expires("2h") @solo("yes")'),
      rule('high', '@approver("admin") @expires("10m") @solo("yes")'),
    );
    expect(decide({ otherApprovers: 2 }, asking)).toMatchObject({
      effect: 'ask',
      rule: 'slow',
      approval: { approvals: 3, role: 'admin', expiresMs: 600_000, solo: false },
    });
    expect(decide({ otherApprovers: 0 }, asking).approval).toMatchObject({ approvals: 1, solo: true });
    const strict = engineOf(CLASS, rule('a', '@approvals("2") @solo("yes")'), rule('b', '@solo("no")'));
    expect(decide({ otherApprovers: 0 }, strict).approval).toMatchObject({ approvals: 2, solo: false });
  });

  it('requires approvers to have at least the role that the tool requires', () => {
    expect(decide({ role: 'admin', risk: 'dangerous', leastRole: 'admin' }).approval).toMatchObject({ role: 'admin' });
  });

  it('keeps the approval terms of a rule even when only the agent, not the person, needs the approval', () => {
    const input = { risk: 'dangerous', environment: 'production', granted: true } as const;
    expect(decide(input)).toMatchObject({ effect: 'run' });
    expect(decide({ ...input, agentClass: 'WRITE_GATED' }).approval).toMatchObject({ approvals: 2 });
  });

  it('names the rule that comes first when several rules have the same effect', () => {
    const forbid = (id: string) =>
      `@id("${id}") @reason("${id}.") forbid (principal, action in [Action::"run", Action::"request"], resource);`;
    expect(decide({}, engineOf(EVERYTHING, forbid('zebra'), forbid('ant')))).toMatchObject({ rule: 'zebra' });
    expect(decide({}, engineOf(EVERYTHING, forbid('ant'), forbid('zebra')))).toMatchObject({ rule: 'ant' });
  });

  it('evaluates hours and dates in the configured time zone', () => {
    const night = `@id("night") @reason("N.") forbid (principal, action in [Action::"run", Action::"request"], resource)
      when { context.hour < 6 && context.date == 20260701 && context.weekday == 3 && context.minute == 30 };`;
    const files = [
      { name: 'schema.cedarschema', text: schema },
      { name: 'rules.cedar', text: EVERYTHING + night },
    ];
    const inZone = (zone: string) =>
      decide({ at: '2026-07-01T03:30:00Z' }, createEngine(readRules(files, 'night'), 'night', zone)).effect;
    expect(inZone('UTC')).toBe('deny');
    expect(inZone('Europe/Berlin')).toBe('deny');
    expect(inZone('Asia/Tokyo')).toBe('run');
    expect(inZone('America/Los_Angeles')).toBe('run'); // the evening of the day before
    expect(() => inZone('Mars/Olympus')).toThrow(RangeError);
  });
});

describe('the arguments of a call in policy rules', () => {
  const forbid = (condition: string) =>
    engineOf(
      EVERYTHING,
      `@id("no") @reason("No.") forbid (principal, action in [Action::"run", Action::"request"], resource) when { ${condition} };`,
    );

  it('can be read as texts by their path, and numbers also as integers', () => {
    const deep = forbid('resource.hasTag("labels.1.name") && resource.getTag("labels.1.name") == "x"');
    expect(decide({ arguments: { labels: [{}, { name: 'x' }] } }, deep)).toMatchObject({ rule: 'no' });
    const large = forbid('resource.numbers.hasTag("n") && resource.numbers.getTag("n") > 1000');
    expect(decide({ arguments: { n: 1000 } }, large)).toMatchObject({ effect: 'run' });
    for (const n of [1000.5, 1e300]) expect(decide({ arguments: { n } }, large)).toMatchObject({ rule: 'no' });
    expect(decide({ arguments: {} }, large)).toMatchObject({ effect: 'run' });
  });

  it('cannot imitate Cedar entities or JavaScript prototypes', () => {
    const proto = forbid('resource.hasTag("__proto__") && resource.getTag("__proto__") == "x"');
    const hidden = JSON.parse('{"__proto__": "x"}') as Record<string, string>;
    const question = toCallQuestion(CallOutline.parse({}));
    const ask = (args: Record<string, unknown>) => ({ ...question, action: { ...question.action, arguments: args } });
    expect(proto.decide(ask(hidden))).toMatchObject({ rule: 'no' });
    const entity = { __entity: { type: 'Role', id: 'admin' }, __extn: { fn: 'ip', arg: 'x' } };
    expect(engine.decide(ask({ __entity: entity, text: 'half \ud800 a pair' }))).toMatchObject({ effect: 'run' });
  });
});

it('the policy engine decides about any arguments, and decides equal questions equally', () => {
  const text = fc.string({ unit: 'binary', maxLength: 20 });
  fc.assert(
    fc.property(fc.dictionary(text, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 5 }), (args) => {
      const question = toCallQuestion(CallOutline.parse({}));
      const asked = { ...question, action: { ...question.action, arguments: { ...args, half: '\udc00' } } };
      const decision = engine.decide(asked);
      // Only arguments that cannot be told apart are refused.
      expect(['safe-runs', 'policy-error']).toContain(decision.rule);
      expect(decision.rule === 'policy-error' && !decision.sentence.startsWith('Two arguments')).toBe(false);
      expect(engine.decide(structuredClone(asked))).toEqual(decision);
    }),
    { numRuns: 100 },
  );
});

describe('the shipped policy rules', () => {
  const input = fc.record({
    risk: fc.constantFrom(...Risk.options),
    environment: fc.constantFrom(...ActionEnvironment.options),
    leastRole: fc.constantFrom(...Role.options),
    agentClass: fc.constantFrom(...AgentClass.options),
    kind: fc.constantFrom('tool_call' as const, 'shell_cmd' as const, 'code_diff' as const),
    tainted: fc.boolean(),
    touchesPrivate: fc.boolean(),
    egress: fc.boolean(),
    granted: fc.boolean(),
    frozen: fc.boolean(),
    breakGlass: fc.boolean(),
    callsLeft: fc.constantFrom(null, 0, 3),
    otherApprovers: fc.nat({ max: 2 }),
  });
  const EFFECTS = ['deny', 'ask', 'confirm', 'run'];

  it('never let a lower role do, approve or load more than a higher role', () => {
    fc.assert(
      fc.property(
        input,
        fc.constantFrom('deploy', 'knowledge', 'admin'),
        fc.nat({ max: 600_000 }),
        (given, group, ageMs) => {
          for (const [index, role] of Role.options.slice(1).entries()) {
            const lesser = Role.options[index];
            const reach = (of: Role | undefined) => EFFECTS.indexOf(decide({ ...given, role: of }).effect);
            expect(reach(role)).toBeGreaterThanOrEqual(reach(lesser));
            const approves = (of: Role | undefined) => Number(mayApprove({ ...given, role: of, ageMs }).allowed);
            expect(approves(role)).toBeGreaterThanOrEqual(approves(lesser));
            const loads = (of: Role | undefined) =>
              Number(engine.mayLoad(toGroupQuestion(GroupOutline.parse({ role: of, group }))).allowed);
            expect(loads(role)).toBeGreaterThanOrEqual(loads(lesser));
          }
        },
      ),
      { numRuns: 40 },
    );
  });

  it('require a grant for dangerous calls, and allow only reads during a freeze or after the budget is spent', () => {
    fc.assert(
      fc.property(input, fc.constantFrom(...Role.options), (given, role) => {
        const { effect } = decide({ ...given, role });
        const stopped = (given.frozen && !given.breakGlass) || given.callsLeft === 0;
        expect(effect === 'run' && given.risk === 'dangerous' && (!given.granted || given.tainted)).toBe(false);
        expect(effect !== 'deny' && given.risk !== 'safe' && stopped).toBe(false);
        expect(effect === 'run' && given.tainted && given.touchesPrivate && given.egress).toBe(false);
        expect(effect === 'run' && given.tainted && given.risk !== 'safe').toBe(false);
        expect(effect === 'confirm' && given.risk === 'dangerous').toBe(false);
      }),
      { numRuns: 150 },
    );
  });

  it('require approvers to have at least the role that the approval card names', () => {
    fc.assert(
      fc.property(input, fc.constantFrom(...Role.options), (given, role) => {
        const { approval } = decide({ ...given, role: 'admin' });
        const { allowed } = mayApprove({ ...given, role });
        const lesser = approval !== null && Role.options.indexOf(role) < Role.options.indexOf(approval.role);
        expect(lesser && allowed).toBe(false);
      }),
      { numRuns: 100 },
    );
  });
});
