import { setImmediate } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { loadPolicySet, readPolicyFolder, type PolicyFiles } from './policy-set.ts';
import { PolicySetError } from './problems.ts';
import { POLICY_FOLDER } from './settings.ts';

let shipped: PolicyFiles;
/** A part of the shipped rules, for speed. */
let small: PolicyFiles;

beforeAll(async () => {
  shipped = await readPolicyFolder(POLICY_FOLDER);
  const kept = new Set([
    'schema.cedarschema',
    ...['roles', 'budgets'].flatMap((of) => [`${of}.cedar`, `examples/${of}.json`]),
  ]);
  const agents = '@id("class-controls") @reason("C.") permit (principal is AgentClass, action, resource);';
  const files = [...shipped.files.filter(({ name }) => kept.has(name)), { name: 'agents.cedar', text: agents }];
  small = { files, version: 'small' };
}, 30_000); // the longest a test may take

/** A copy of a set with one changed file and its own version. */
function withChangedFile(name: string, change: (text: string) => string, set = small): PolicyFiles {
  const files = set.files.map((file) => (file.name === name ? { name, text: change(file.text) } : file));
  return { files, version: `changed ${name} ${files.find((file) => file.name === name)?.text}` };
}

/** The problems of a set, one per line; empty when it is valid. */
async function listProblems(set: PolicyFiles): Promise<readonly string[]> {
  try {
    await loadPolicySet(set, 'UTC');
    return [];
  } catch (error) {
    if (error instanceof PolicySetError) return error.message.split('\n');
    throw error;
  }
}

/** The problems of a set of one tested rule and this policy. */
const withPolicy = (policy: string): Promise<readonly string[]> => {
  const files = [
    ...shipped.files.filter(({ name }) => name === 'schema.cedarschema'),
    { name: 'rules.cedar', text: `@id("reads") @reason("R.") permit (principal, action, resource);\n${policy}` },
    { name: 'examples/rules.json', text: EXAMPLE },
  ];
  return listProblems({ files, version: policy });
};
const EXAMPLE = JSON.stringify([{ says: 'x', decide: {}, expect: { effect: 'run', rule: 'reads' } }]);
const REASON = '@reason("Because.")';

describe('a policy set', () => {
  it('is valid when every rule has a passing example, as the shipped rules have', async () => {
    expect(await listProblems(shipped)).toEqual([]);
  });

  it('reports a failing example with its file, its rule, the expected and the actual result', async () => {
    const lines = await listProblems(
      withChangedFile('examples/budgets.json', (text) => text.replace('"callsLeft": 0', '"callsLeft": 5')),
    );
    expect(lines).toEqual([
      `examples/budgets.json, rule budget-spent: the example 'no calls left' fails. Expected deny by budget-spent, got run by sensitive-runs with class-controls.`,
    ]);
  });

  it('reports an example that expects other approval terms or another rule', async () => {
    const terms = await listProblems(
      withChangedFile(
        'examples/environments.json',
        (text) => text.replace('"approvals": 2', '"approvals": 3'),
        shipped,
      ),
    );
    expect(terms[0]).toContain('Expected ask by production-asks-two, 3 approvals');
    expect(terms[0]).toContain('got ask by production-asks-two, 2 approvals');
    const part = await listProblems(
      withChangedFile('examples/roles.json', (text) => text.replace('["class-controls"]', '["budget-spent"]')),
    );
    expect(part[0]).toContain('Expected run by safe-runs with budget-spent');
  });

  it('reports a rule that has no example', async () => {
    const files = small.files.map((file) => (file.name.endsWith('.json') ? { ...file, text: '[]' } : file));
    const lines = await listProblems({ files, version: 'no examples' });
    for (const line of lines) expect(line).toMatch(/^[a-z-]+\.cedar, line \d+, rule [a-z-]+: no example that holds/);
    expect(lines.length).toBe((await loadPolicySet(small, 'UTC')).rules.length);
  });

  it('reports examples whose policy file was removed', async () => {
    const lines = await listProblems(withChangedFile('budgets.cedar', () => '// nothing'));
    expect(lines.length).toBe(3);
    expect(lines[0]).toContain('Expected deny by budget-spent, got run by sensitive-runs');
  });

  it.each([
    ['no @id', `${REASON} permit (principal, action, resource);`, '@id is missing'],
    ['no @reason', '@id("a") permit (principal, action, resource);', 'rule a: @reason is missing'],
    ['a reason that is no sentence', '@id("a") @reason("why") permit (principal, action, resource);', 'full stop'],
    ['an @id that is no name', `@id("A b") ${REASON} permit (principal, action, resource);`, 'kebab-case'],
    ['an @id that is taken', `@id("reads") ${REASON} permit (principal, action, resource);`, 'is taken by rules.cedar'],
    [
      'an @id that is reserved',
      `@id("default-deny") ${REASON} permit (principal, action, resource);`,
      'choose another',
    ],
    [
      'an annotation that there is not',
      `@id("a") @aprovals("2") ${REASON} permit (principal, action, resource);`,
      'aprovals',
    ],
    [
      'terms that are none',
      `@id("a") @expires("soon") ${REASON} permit (principal, action == Action::"request", resource);`,
      'such as 30m',
    ],
    [
      'terms on a forbid',
      `@id("a") @approvals("2") ${REASON} forbid (principal, action == Action::"request", resource);`,
      'belong to permits',
    ],
    [
      'terms on another verb',
      `@id("a") @solo("yes") ${REASON} permit (principal, action == Action::"run", resource);`,
      'belong to permits',
    ],
    [
      'an attribute that there is not',
      `@id("a") ${REASON} permit (principal is User, action == Action::"run", resource) when { resource.rsk == Risk::"safe" };`,
      'did you mean `risk`?',
    ],
    [
      'a value that there is not',
      `@id("a") ${REASON} permit (principal in Role::"opertor", action == Action::"run", resource);`,
      'opertor',
    ],
    [
      'a condition that is never true',
      `@id("a") ${REASON} permit (principal, action == Action::"run", resource) when { false };`,
      'impossible',
    ],
    ['a template', `@id("a") ${REASON} permit (principal == ?principal, action, resource);`, 'template'],
    ['a text that is no policy', 'permit (principal', 'rules.cedar, line 2'],
  ])('is refused when it has %s', async (_, policy, says) => {
    const lines = await withPolicy(policy);
    expect(lines.join('\n')).toContain(says);
    expect(lines[0]).toMatch(/^rules\.cedar(, line 2)?/);
  });

  it('reports an invalid rule with its file and line', async () => {
    const [line] = await withPolicy('\n// a word\n@id("a")\npermit (principal, action, resource);');
    expect(line).toContain('rules.cedar, line 4, rule a: @reason is missing');
  });

  it('is refused without a valid schema or without policies', async () => {
    const only = (...names: readonly string[]): PolicyFiles => ({
      files: small.files.filter(({ name }) => names.includes(name)),
      version: names.join(),
    });
    expect((await listProblems(only('roles.cedar')))[0]).toContain('schema.cedarschema: is missing');
    expect(await listProblems(only('schema.cedarschema'))).toEqual(['*.cedar: there is no policy at all']);
    expect((await listProblems(withChangedFile('schema.cedarschema', () => 'entity')))[0]).toContain(
      'schema.cedarschema',
    );
  });

  it('is refused when one of its examples cannot be read', async () => {
    const examples = async (text: string) =>
      (await listProblems(withChangedFile('examples/budgets.json', () => text)))[0];
    expect(await examples('nonsense')).toContain('examples/budgets.json: is no JSON');
    expect(await examples('{}')).toContain('is a list of examples');
    expect(
      await examples('[{"says": "x", "decide": {"rsik": "safe"}, "expect": {"effect": "run", "rule": "a"}}]'),
    ).toContain('example 1 cannot be read: decide: Unrecognized key: "rsik"');
    expect(await examples('[7]')).toContain('example 1 cannot be read');
  });

  it('gets the same version each time it is read', async () => {
    const again = await readPolicyFolder(POLICY_FOLDER);
    expect(again.version).toBe(shipped.version);
    expect(shipped.version).toMatch(/^[0-9a-f]{64}$/);
    expect(shipped.files.map(({ name }) => name)).toContain('schema.cedarschema');
  });

  it('does not block the event loop while its examples are checked', async () => {
    let [steps, isLoading] = [0, true];
    const working = (async () => {
      for (; isLoading; steps += 1) await setImmediate();
    })();
    await loadPolicySet({ files: shipped.files, version: 'loaded in steps' }, 'UTC');
    isLoading = false;
    await working;
    const examples = shipped.files.filter(({ name }) => name.startsWith('examples/'));
    const count = examples.reduce((sum, { text }) => sum + (JSON.parse(text) as unknown[]).length, 0);
    expect(steps).toBeGreaterThanOrEqual(count);
  });
});
