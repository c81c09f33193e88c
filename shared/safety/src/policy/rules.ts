import '../wasm-guard.ts';
import * as cedar from '@cedar-policy/cedar-wasm/nodejs';
import { z } from 'zod';
import { Role } from '@signalbox/contracts/governance/roles';
import { MINUTE_MS, SECOND_MS } from '@signalbox/contracts/time';
import { visibleAttributes, type VisibleAttributes } from './visible-attributes.ts';
import { belongsTo, sliceId, SLICES, type PrincipalType } from './slices.ts';
import { lineAt, PolicySetError, type PolicyFile, type PolicyProblem } from './problems.ts';

/** What a rule asks of an approval; null where it has no opinion. */
export interface ApprovalTerms {
  readonly approvals: number | null;
  readonly approver: Role | null;
  readonly expiresMs: number | null;
  readonly solo: boolean | null;
}

/** One policy of the set, as it is named in decisions. */
export interface Rule {
  readonly id: string;
  /** One sentence for people. */
  readonly reason: string;
  readonly file: string;
  readonly line: number;
  /** Files by name, then lines: the first of several rules that say the same is the one that is named. */
  readonly order: number;
  readonly terms: ApprovalTerms;
}

/** The rules of a set, as Cedar knows them under the id of the set. */
export interface RuleSet {
  readonly id: string;
  readonly rules: ReadonlyMap<string, Rule>;
  /** Whether a rule asks something of an approval when this kind of principal makes a request. */
  readonly hasTerms: Readonly<Record<PrincipalType, boolean>>;
  /** Whether the schema knows the verb `confirm`: sets that were stored before do not. */
  readonly hasConfirm: boolean;
  /** Whether the schema knows the age of words, likewise. */
  readonly hasAge: boolean;
  /** What the policies of each slice can see of a question, by the id of the slice. */
  readonly sights: ReadonlyMap<string, VisibleAttributes>;
}

const SCHEMA_FILE = 'schema.cedarschema';

/** What decisions name when no rule spoke. */
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
    .transform((text) => Number(text.slice(0, -1)) * UNITS_MS[text.slice(-1) as keyof typeof UNITS_MS]) // the pattern allows no other unit
    .optional(),
  solo: z
    .enum(['yes', 'no'])
    .transform((word) => word === 'yes')
    .optional(),
});

/**
 * Reads the rules of a set, checks them against its schema and makes them known to Cedar under `version`, for as long as the
 * process lives; twice is harmless. Throws PolicySetError with every problem.
 */
export function readRules(files: readonly PolicyFile[], version: string): RuleSet {
  const steps = readRulesInSteps(files, version);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** The same, and it yields between its steps, so that its process can do other work in between. */
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
        problems.push(...json.errors.map((error) => problemOf(file, error)));
        continue;
      }
      const rule = readRule(file, json.json, lineAt(file.text, start), rules, problems);
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
  const { hasConfirm, hasAge } = readKnown(schema);
  const sights = yield* prepare(schema, policies, version);
  const hasTerms = (principal: PrincipalType): boolean =>
    [...policies].some(
      ([id, { head }]) =>
        belongsTo(head, 'request', principal) &&
        Object.values(rules.get(id)?.terms ?? {}).some((term) => term !== null),
    );
  return {
    id: version,
    rules,
    hasTerms: { User: hasTerms('User'), AgentClass: hasTerms('AgentClass') },
    hasConfirm,
    hasAge,
    sights,
  };
}

/** What schemas have come to know. */
function readKnown(schema: PolicyFile): Pick<RuleSet, 'hasConfirm' | 'hasAge'> {
  const read = cedar.schemaToJson(schema.text);
  const spaces = read.type === 'success' ? Object.values(read.json) : [];
  return {
    hasConfirm: spaces.some(({ actions }) => 'confirm' in actions),
    hasAge: spaces.some(({ entityTypes }) => JSON.stringify(entityTypes['Call'] ?? null).includes('"ageMinutes"')),
  };
}

/** Cedar gets the text back and not the JSON, in which large numbers would no longer be what was written. */
interface Policy {
  readonly head: cedar.PolicyJson;
  readonly text: string;
}

function* prepare(
  schema: PolicyFile,
  policies: ReadonlyMap<string, Policy>,
  id: string,
): Generator<void, ReadonlyMap<string, VisibleAttributes>, void> {
  const sights = new Map<string, VisibleAttributes>();
  const answers = [cedar.preparseSchema(id, schema.text)];
  for (const { verb, principal } of SLICES) {
    yield;
    const slice = [...policies].filter(([, { head }]) => belongsTo(head, verb, principal));
    answers.push(cedar.preparsePolicySet(sliceId(id, verb, principal), { staticPolicies: toStaticPolicies(slice) }));
    sights.set(sliceId(id, verb, principal), visibleAttributes(slice.map(([, { head }]) => head)));
  }
  for (const answer of answers)
    if (answer.type === 'failure') throw new PolicySetError(answer.errors.map((error) => problemOf(schema, error)));
  return sights;
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
    problems.push(...parts.errors.map((error) => problemOf(file, error)));
    return [];
  }
  if (parts.policy_templates.length > 0)
    problems.push({ file: file.name, says: 'has a template; write the policy out, with no ?principal and ?resource' });
  // Cedar sorts the parts by a number of its own, but leaves their text as it is.
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

/** Warnings count as well: a policy that can never apply is a mistake of its author. */
function validate(
  schema: PolicyFile,
  policies: ReadonlyMap<string, Policy>,
  rules: ReadonlyMap<string, Rule>,
): readonly PolicyProblem[] {
  const answer = cedar.validate({ schema: schema.text, policies: { staticPolicies: toStaticPolicies(policies) } });
  if (answer.type === 'failure') return answer.errors.map((error) => problemOf(schema, error));
  return [...answer.validationErrors, ...answer.validationWarnings].map(({ policyId, error }) => {
    const rule = rules.get(policyId);
    const says = error.message.replace(`for policy \`${policyId}\`, `, '').replace(`for policy \`${policyId}\`: `, '');
    return {
      file: rule?.file ?? schema.name,
      line: rule?.line ?? null,
      rule: policyId,
      says: withHelp(says, error.help),
    };
  });
}

function problemOf(file: PolicyFile, { message, help, sourceLocations = [] }: cedar.DetailedError): PolicyProblem {
  const [at] = sourceLocations;
  const expected = at?.label == null ? message : `${message}: ${at.label}`;
  return { file: file.name, line: at ? lineAt(file.text, at.start) : null, says: withHelp(expected, help) };
}

function withHelp(message: string, help: string | null): string {
  return help === null ? message : `${message} (${help})`;
}
