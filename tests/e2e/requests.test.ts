import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { deployGroup, openDeployTarget, type DeployTarget } from '../support/deploy-target.ts';
import type { Person } from '../support/person.ts';
import { openStack, type Stack } from '../support/stack.ts';

let stack: Stack;
let target: DeployTarget;
let developer: Person;
let ops: Person;
let second: Person;

beforeEach(async () => {
  target = await openDeployTarget();
  stack = await openStack({ wiring: { groups: [deployGroup(target)] } });
  developer = await stack.person(1002, 'developer');
  ops = await stack.person(1003, 'operator');
  second = await stack.person(1004, 'operator');
  for (const one of [ops, second]) await one.ask('hello'); // whoever approves has to have written to us
  await developer.ask('create a project called shop for the web shop');
});
afterEach(async () => {
  await stack.close();
  await target.close();
});

const asked = async (person: Person, text: string): Promise<string> => (await person.ask(text)).join('\n');

describe('“what became of my request”', { timeout: 120_000 }, () => {
  it('is answered in one sentence with who decided and why, and requests of this conversation come first', async () => {
    expect(await asked(ops, 'what became of my request')).toContain('You have asked for no change yet.');
    await developer.ask('deploy shop 1.4.2 to production');
    await ops.waitFor(/Deploy shop 1\.4\.2 to production/);
    expect(await asked(developer, 'is my request still waiting')).toMatch(
      /Deploy shop 1\.4\.2 to production waits for approval: 0 of 2 so far, .* left\./,
    );
    await ops.click('Reject');
    await ops.waitFor(/why do you reject/);
    await ops.click('Too risky');
    await developer.waitFor(/rejected .*Too risky/);
    const rejected =
      /Deploy shop 1\.4\.2 to production was rejected by \w+ \(operator, id 1003\), \S+ s ago: Too risky\./;
    expect(await asked(developer, 'what became of my request')).toMatch(rejected);

    await developer.ask('/new');
    await developer.ask('deploy shop 1.4.3 to production');
    await ops.waitFor(/Deploy shop 1\.4\.3 to production/);
    await second.waitFor(/Deploy shop 1\.4\.3 to production/);
    await ops.click('Approve');
    await ops.waitFor(/1 of 2/);
    await second.click('Approve');
    await developer.waitFor(/Deployed shop 1\.4\.3/);
    const texts = await developer.ask('what became of my request');
    const answer = texts.find((text) => text.includes('Your earlier requests:')) ?? '';
    const [first, before, ...rest] = answer.split('\n').filter(Boolean);
    expect(first).toMatch(/^Deploy shop 1\.4\.3 to production was approved by \w+ and \w+ and is done, \S+ s ago/);
    expect(before).toBe('Your earlier requests:');
    expect(rest.join('\n')).toMatch(rejected);
  });

  it('is hinted at once, below the first answer to a related or unclear message, and below no unrelated one', async () => {
    await developer.ask('deploy shop 1.4.2 to production');
    await ops.waitFor(/Deploy shop 1\.4\.2 to production/);
    const waits = /Still waiting for a decision/;
    for (const text of ['list the projects', 'create a project called blog for the blog', 'status of blog'])
      expect(await asked(developer, text)).not.toMatch(waits);
    expect(await asked(developer, 'approve')).toMatch(waits);
    for (const text of ['ok', 'status of shop']) expect(await asked(developer, text)).not.toMatch(waits);
    // Whoever asks is answered.
    expect(await asked(developer, 'is my request still waiting')).toMatch(/Deploy shop 1\.4\.2/);
  });

  it('never shows requests of other people', async () => {
    await developer.ask('deploy shop 1.4.2 to production');
    await ops.waitFor(/Deploy shop 1\.4\.2 to production/);
    expect((await ops.ask('what became of my request')).join()).toMatch(/^You have asked for no change yet\./);
  });
});
