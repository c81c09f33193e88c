import '../wasm-guard.ts';
import * as cedar from '@cedar-policy/cedar-wasm/nodejs';
import { z } from 'zod';
import { Role } from '@signalbox/contracts/governance/roles';
import { MINUTE_MS, SECOND_MS } from '@signalbox/contracts/time';
import { readVisibleAttributes, type VisibleAttributes } from './visible-attributes.ts';
import { matchesSlice, getSliceId, SLICES, type PrincipalType } from './slices.ts';
import { getLineAt, PolicySetError, type PolicyFile, type PolicyProblem } from './problems.ts';

/** The terms of approval that a rule sets; null for a term that the rule does not set. */
export interface ApprovalTerms {
  readonly approvals: number | null;
  readonly approver: Role | null;
  readonly expiresMs: number | null;
  readonly solo: boolean | null;
}

/** One policy of a set, which decisions name by its id. */
export interface Rule {
  readonly id: string;
  /** The rule's reason in one sentence for people. */
  readonly reason: string;
  readonly file: string;
  readonly line: number;
  /** The rule's position by file name and line: of several equal rules, decisions name the first. */
  readonly order: number;
  readonly terms: ApprovalTerms;
}

/** The rules of a set, registered with Cedar under the set's id. */
export interface RuleSet {
  readonly id: string;
  readonly rules: ReadonlyMap<string, Rule>;
  /** True when a rule sets approval terms for requests of this principal type. */
  readonly hasTerms: Readonly<Record<PrincipalType, boolean>>;
  /** True when the schema has the verb `confirm`; older stored sets lack it. */
  readonly hasConfirm: boolean;
  /** True when the schema has `ageMinutes`; older stored sets lack it. */
  readonly hasAge: boolean;
  /** The attributes that policies read, by slice id (a pair of verb and principal type). */
  readonly visible: ReadonlyMap<string, VisibleAttributes>;
}

const SCHEMA_FILE = 'schema.cedarschema';

/** Rule ids that the engine uses for decisions without a rule. */
const RESERVED = new Set(['default-deny', 'policy-error']);

const UNITS_MS = { s: SECOND_MS, m: MINUTE_MS, h: 60 * MINUTE_MS, d: 24 * 60 * MINUTE_MS };

const Annotations = z.strictObject({
  id: z
    .string('is missing: write @id("…") above the policy')
    .max(120)
    .regex(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/, 'is a kebab-case name such as production-asks-two'),
  reason: z
    .string('is missing: write @reason("…"), one sentence for people')
    .max(500)
    .regex(/^\S.*[.!?]$/, 'is one sentence for people, with a full stop at its end'),
  approvals: z.coerce.number().int().min(1).max(10).optional(),
  approver: Role.optional(),
  expires: z
    .string()
    .regex(/^[1-9]\d{0,5}[smhd]$/, 'is a time such as 30m or 2h')
    .transform((text) => Number(text.slice(0, -1)) * UNITS_MS[text.slice(-1) as keyof typeof UNITS_MS]) // the pattern guarantees the unit
    .optional(),
  solo: z
    .enum(['yes', 'no'])
    .transform((word) => word === 'yes')
    .optional(),
});

/**
 * Reads the rules of a set, validates them against its schema and registers them with Cedar under `version` for the life of the process;
 * repeating it is harmless. Throws PolicySetError with all problems.
 */
export function readRules(files: readonly PolicyFile[], version: string): RuleSet {
  const steps = readRulesInSteps(files, version);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** Like `readRules`, but yields between steps so that other work can run. */
export function* readRulesInSteps(files: readonly PolicyFile[], version: string): Generator<void, RuleSet, void> {
  const schema = files.find(({ name }) => name === SCHEMA_FILE);
  if (!schema)
    throw new PolicySetError([{ file: SCHEMA_FILE, says: 'is missing: it declares what rules can speak of' }]);
  const policies = new Map<string, Policy>();
  const rules = new Map<string, Rule>();
  const problems: PolicyProblem[] = [];
  for (const file of files.filter(({ name }) => name.endsWith('.cedar'))) {
    yield;
    for (const { text, start } of splitPolicies(file, problems)) {
      const json = cedar.policyToJson(text);
      if (json.type === 'failure') {
        problems.push(...json.errors.map((error) => toProblem(file, error)));
        continue;
      }
      const rule = readRule(file, json.json, getLineAt(file.text, start), rules, problems);
      if (!rule) continue;
      rules.set(rule.id, rule);
      policies.set(rule.id, { head: json.json, text });
    }
  }
  yield;
  problems.push(...validate(schema, policies, rules));
  if (rules.size === 0 && problems.length === 0) problems.push({ file: '*.cedar', says: 'there is no policy at all' });
  if (problems.length > 0) throw new PolicySetError(problems);
  yield;
  const { hasConfirm, hasAge } = readSchemaFeatures(schema);
  const visible = yield* prepare(schema, policies, version);
  const hasTerms = (principal: PrincipalType): boolean =>
    [...policies].some(
      ([id, { head }]) =>
        matchesSlice(head, 'request', principal) &&
        Object.values(rules.get(id)?.terms ?? {}).some((term) => term !== null),
    );
  return {
    id: version,
    rules,
    hasTerms: { User: hasTerms('User'), AgentClass: hasTerms('AgentClass') },
    hasConfirm,
    hasAge,
    visible,
  };
}

function readSchemaFeatures(schema: PolicyFile): Pick<RuleSet, 'hasConfirm' | 'hasAge'> {
  const read = cedar.schemaToJson(schema.text);
  const spaces = read.type === 'success' ? Object.values(read.json) : [];
  return {
    hasConfirm: spaces.some(({ actions }) => 'confirm' in actions),
    hasAge: spaces.some(({ entityTypes }) => JSON.stringify(entityTypes['Call'] ?? null).includes('"ageMinutes"')),
  };
}

/** A policy with its original text. Cedar gets the text, because JSON would change large numbers. */
interface Policy {
  readonly head: cedar.PolicyJson;
  readonly text: string;
}

function* prepare(
  schema: PolicyFile,
  policies: ReadonlyMap<string, Policy>,
  id: string,
): Generator<void, ReadonlyMap<string, VisibleAttributes>, void> {
  const visible = new Map<string, VisibleAttributes>();
  const answers = [cedar.preparseSchema(id, schema.text)];
  for (const { verb, principal } of SLICES) {
    yield;
    const slice = [...policies].filter(([, { head }]) => matchesSlice(head, verb, principal));
    answers.push(cedar.preparsePolicySet(getSliceId(id, verb, principal), { staticPolicies: toStaticPolicies(slice) }));
    visible.set(getSliceId(id, verb, principal), readVisibleAttributes(slice.map(([, { head }]) => head)));
  }
  for (const answer of answers)
    if (answer.type === 'failure') throw new PolicySetError(answer.errors.map((error) => toProblem(schema, error)));
  return visible;
}

function toStaticPolicies(policies: Iterable<readonly [string, Policy]>): Record<string, string> {
  return Object.fromEntries([...policies].map(([id, { text }]) => [id, text]));
}

function splitPolicies(
  file: PolicyFile,
  problems: PolicyProblem[],
): readonly { readonly text: string; readonly start: number }[] {
  const parts = cedar.policySetTextToParts(file.text);
  if (parts.type === 'failure') {
    problems.push(...parts.errors.map((error) => toProblem(file, error)));
    return [];
  }
  if (parts.policy_templates.length > 0)
    problems.push({ file: file.name, says: 'has a template; write the policy out, with no ?principal and ?resource' });
  // Cedar returns the parts in its own order, with unchanged text.
  const placed = parts.policies.map((text) => ({ text, start: file.text.indexOf(text) }));
  return placed.sort((a, b) => a.start - b.start);
}

function readRule(
  file: PolicyFile,
  { annotations = {}, effect, action }: cedar.PolicyJson,
  line: number,
  known: ReadonlyMap<string, Rule>,
  problems: PolicyProblem[],
): Rule | null {
  const parsed = Annotations.safeParse(annotations);
  const rule = annotations['id'] ?? null;
  const refuse = (says: string): null => (problems.push({ file: file.name, line, rule, says }), null);
  if (!parsed.success) {
    for (const { path, message } of parsed.error.issues)
      refuse(path.length > 0 ? `@${path.join('.')} ${message}` : message);
    return null;
  }
  const { id, reason, approvals = null, approver = null, expires: expiresMs = null, solo = null } = parsed.data;
  const earlier = known.get(id);
  if (earlier) return refuse(`@id is taken by ${earlier.file}, line ${earlier.line}; each policy has its own`);
  if (RESERVED.has(id)) return refuse('@id is what decisions name when no rule spoke; choose another');
  const terms = { approvals, approver, expiresMs, solo };
  const asksForTerms = Object.values(terms).some((term) => term !== null);
  const isPermitOf = (verb: string): boolean => effect === 'permit' && JSON.stringify(action).includes(`"${verb}"`);
  const isOnlyTimed = approvals === null && approver === null && solo === null;
  if (asksForTerms && !isPermitOf('request') && !(isOnlyTimed && isPermitOf('confirm')))
    return refuse(
      '@approvals, @approver, @expires and @solo belong to permits of Action::"request"; of them only @expires to permits of Action::"confirm"',
    );
  return { id, reason, file: file.name, line, order: known.size, terms };
}

/** Warnings count as problems: a policy that can never apply is a mistake. */
function validate(
  schema: PolicyFile,
  policies: ReadonlyMap<string, Policy>,
  rules: ReadonlyMap<string, Rule>,
): readonly PolicyProblem[] {
  const answer = cedar.validate({ schema: schema.text, policies: { staticPolicies: toStaticPolicies(policies) } });
  if (answer.type === 'failure') return answer.errors.map((error) => toProblem(schema, error));
  return [...answer.validationErrors, ...answer.validationWarnings].map(({ policyId, error }) => {
    const rule = rules.get(policyId);
    const says = error.message.replace(`for policy \`${policyId}\`, `, '').replace(`for policy \`${policyId}\`: `, '');
    return {
      file: rule?.file ?? schema.name,
      line: rule?.line ?? null,
      rule: policyId,
      says: appendHelp(says, error.help),
    };
  });
}

function toProblem(file: PolicyFile, { message, help, sourceLocations = [] }: cedar.DetailedError): PolicyProblem {
  const [at] = sourceLocations;
  const expected = at?.label == null ? message : `${message}: ${at.label}`;
  return { file: file.name, line: at ? getLineAt(file.text, at.start) : null, says: appendHelp(expected, help) };
}

function appendHelp(message: string, help: string | null): string {
  return help === null ? message : `${message} (${help})`;
}
