import * as cedar from '@cedar-policy/cedar-wasm/nodejs';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { AgentClass, ActionEnvironment, Risk } from '@signalbox/contracts/governance/action';
import { Role } from '@signalbox/contracts/governance/roles';
import { toApproverQuestion, ApproverOutline } from './outline.ts';
import { readPolicyFolder } from './policy-set.ts';
import {
  toApprovalResource,
  toCallResource,
  toClassEntity,
  toGroupResource,
  toPersonEntity,
  toAuthorizationCall,
} from './request.ts';
import { readRules } from './rules.ts';
import { POLICY_FOLDER } from './settings.ts';
import { matchesSlice, SLICES } from './slices.ts';

const AT = { date: 20_260_114, weekday: 3, hour: 10, minute: 0 };

/** The slices to which a policy with this head belongs. */
function listSlices(head: string): readonly string[] {
  const parsed = cedar.policyToJson(`permit (${head}, resource);`);
  if (parsed.type === 'failure') throw new Error(parsed.errors[0]?.message);
  const own = SLICES.filter(({ verb, principal }) => matchesSlice(parsed.json, verb, principal));
  return own.map(({ verb, principal }) => `${verb} ${principal}`);
}

it.each([
  // A permit of every action does not include confirm.
  [
    'principal, action',
    SLICES.filter(({ verb }) => verb !== 'confirm').map(({ verb, principal }) => `${verb} ${principal}`),
  ],
  ['principal is User, action == Action::"confirm"', ['confirm User']],
  ['principal is User, action == Action::"run"', ['run User']],
  ['principal is User in Role::"admin", action == Action::"load"', ['load User']],
  ['principal in Role::"viewer", action in [Action::"run", Action::"request"]', ['run User', 'request User']],
  ['principal is AgentClass, action in [Action::"load"]', ['load AgentClass']],
  ['principal == AgentClass::"WRITE_GATED", action == Action::"request"', ['request AgentClass']],
  ['principal == User::"1", action == Action::"approve"', ['approve User']],
  ['principal in Group::"x", action == Action::"run"', ['run User', 'run AgentClass']], // could be either
])('a policy with the head (%s) is put into every slice that it can apply to', (head, slices) => {
  expect(listSlices(head)).toEqual(slices);
});

it('a slice of the policies decides every question like the whole set', async () => {
  const { files, version } = await readPolicyFolder(POLICY_FOLDER);
  const set = readRules(files, version);
  const texts = files.filter(({ name }) => name.endsWith('.cedar')).flatMap(({ text }) => policiesIn(text));
  expect(cedar.preparsePolicySet('whole', { staticPolicies: Object.fromEntries(texts) }).type).toBe('success');
  const input = fc.record({
    role: fc.constantFrom(...Role.options),
    agentClass: fc.constantFrom(...AgentClass.options),
    risk: fc.constantFrom(...Risk.options),
    environment: fc.constantFrom(...ActionEnvironment.options),
    group: fc.constantFrom('deploy', 'knowledge', 'admin'),
    tainted: fc.boolean(),
    egress: fc.boolean(),
    touchesPrivate: fc.boolean(),
    frozen: fc.boolean(),
    granted: fc.boolean(),
    userKey: fc.constantFrom('1001', '1002'),
  });
  fc.assert(
    fc.property(input, fc.constantFrom(...SLICES), (given, { verb, principal }) => {
      const question = toApproverQuestion(ApproverOutline.parse(given));
      const subjects = {
        run: () => toCallResource(question.action, question.context, AT),
        confirm: () => toCallResource(question.action, question.context, AT),
        request: () => toCallResource(question.action, question.context, AT),
        approve: () => toApprovalResource(question, AT),
        load: () => toGroupResource(given.group, question.context, AT),
      };
      const who = principal === 'User' ? toPersonEntity(given.userKey, given.role) : toClassEntity(given.agentClass);
      const request = toAuthorizationCall(set.id, verb, who, subjects[verb]());
      const sliced = cedar.statefulIsAuthorized(request);
      const whole = cedar.statefulIsAuthorized({ ...request, preparsedPolicySetId: 'whole' });
      expect(sliced.type).toBe('success');
      expect(toOutcome(sliced)).toEqual(toOutcome(whole));
    }),
    { numRuns: 150 },
  );
});

function policiesIn(text: string): readonly (readonly [string, string])[] {
  const parts = cedar.policySetTextToParts(text);
  return parts.type === 'failure'
    ? []
    : parts.policies.map((policy) => [/@id\("(.*?)"\)/.exec(policy)?.[1] ?? '', policy]);
}

function toOutcome(answer: cedar.AuthorizationAnswer) {
  if (answer.type === 'failure') return answer;
  return { decision: answer.response.decision, reason: answer.response.diagnostics.reason.toSorted() };
}
