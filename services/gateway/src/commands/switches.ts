import type { RuntimeButton } from '@signalbox/contracts/conversation/envelope';
import { findNearestName } from '@signalbox/contracts/nearest-name';
import { describeAgent } from '@signalbox/messages/agents';
import { LANGUAGES, runInLanguage } from '@signalbox/messages/language';
import { say } from '@signalbox/messages/say';
import type { OfferedAgent } from '@signalbox/store/conversation/agents';

/** Maximum number of similar agents that are offered. */
const MAX_NEAR = 3;
/** Shorter words are similar to too many. */
const MIN_LENGTH = 3;
const LABEL_LENGTH = 64;

/** Creates a button that only switches the agent of its chat. */
export function createSwitchButton(key: 'agents.ask' | 'agents.back', agent: OfferedAgent): RuntimeButton {
  const label = say(key, { name: describeAgent(agent).name }).slice(0, LABEL_LENGTH);
  return { label, value: `/agent ${agent.id}`, handoff: { agent: agent.id, messages: [] } };
}

/** Finds the agent that is named by its id or by its name in any language, or else those with a similar word in one of these. Pure. */
export function findAgents(
  typed: string,
  agents: readonly OfferedAgent[],
): { readonly exact: OfferedAgent | null; readonly near: readonly OfferedAgent[] } {
  const written = toWords(typed);
  const named = agents.map((agent) => ({ agent, names: listNames(agent).map(toWords) }));
  const whole = written.join('');
  const exact = named.find(({ names }) => names.some((words) => words.join('') === whole))?.agent ?? null;
  const isNear = (words: readonly string[]): boolean =>
    written.some((one) => one.length >= MIN_LENGTH && findNearestName(one, words) !== null);
  const near = exact || whole === '' ? [] : named.filter(({ names }) => names.some(isNear)).map(({ agent }) => agent);
  return { exact, near: near.slice(0, MAX_NEAR) };
}

function listNames(agent: OfferedAgent): readonly string[] {
  const names = LANGUAGES.map((language) => runInLanguage(language, () => describeAgent(agent).name));
  return [agent.id, ...new Set(names)];
}

function toWords(text: string): readonly string[] {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}
