import { Role, coversRole } from '@signalbox/contracts/governance/roles';
import { PriorContext, explainMessage } from '@signalbox/planner/explanation';
import { describeHelp } from '@signalbox/gateway/commands/conversation/help';
import { say } from '@signalbox/messages/say';
import { createRegistry, loadCapabilities } from '@signalbox/worker/tools/registry';
import { expect, it } from 'vitest';

// What a newcomer is told to say is understood without a model, and leads to a tool that they may use.

const { catalog, groups, find } = createRegistry(await loadCapabilities());
const story = PriorContext.parse({ names: { project: ['shop'], server: ['local'] } });

const examplesIn = (text: string): readonly string[] =>
  text.split('\n').flatMap((line) => (line.startsWith('- ') ? [line.slice(2)] : []));

const told = [
  ...Role.options.flatMap((role) => examplesIn(describeHelp([], role)).map((text) => ({ role, text }))),
  ...examplesIn(say('people.welcome', { name: 'Ada' })).map((text) => ({ role: 'developer' as const, text })),
];

it.each(told)('the role $role is allowed to send the help example “$text”', ({ role, text }) => {
  const { calls, question } = explainMessage(catalog, text, story);
  const name = calls[0]?.tool ?? question?.tool ?? 'none';
  const called = find(
    name,
    groups.map((group) => group.name),
  );
  expect(called).not.toBeNull();
  expect(coversRole(role, called?.tool.role ?? 'admin')).toBe(true);
});
