import { type MessageKey, say } from '@signalbox/messages/say';
import { isFiller, tokenize } from '../text/tokens.ts';
import { isQuestionText } from '../text/holds.ts';
import { HANDOFF_TOOL, type PlannerStep, type OpenQuestion, toAnswerStep } from './marks.ts';
import { type RequestContext, listMentions } from './understanding.ts';

/*
 * What is not understood gets a menu of the person's own things instead of guesses: their projects, then their requests, the servers and
 * help. A project's button opens what can be done with it. Each button sends what it says, and the planner understands it in its language.
 */

/** Slot of the question below a menu; the text of its buttons is read like any other. */
export const MENU_SLOT = 'menu';

/** Number of projects in a menu, so that it has at most eight buttons. */
const MAX_PROJECTS = 4;

const OF_ALL: readonly MessageKey[] = [
  'planner.menu-projects',
  'planner.menu-requests',
  'planner.menu-servers',
  'planner.menu-help',
];
const LOOKS: readonly MessageKey[] = ['planner.menu-status', 'planner.menu-logs', 'planner.menu-why'];
const CHANGES: readonly MessageKey[] = ['planner.menu-deploy', 'planner.menu-roll-back'];

/** Answers with the menu of the project that a text names, or else with the menu of everything. */
export function sayMenu(around: RequestContext, text: string): PlannerStep {
  const { facts, bound } = around;
  const [named, ...more] = new Set(
    listMentions(text, around).flatMap(({ kind, name }) => (kind === 'project' ? [name] : [])),
  );
  if (named !== undefined && more.length === 0) return toProjectMenu(named, text, around);
  const known = facts.known['project'] ?? [];
  const current = known.filter((name) => name === facts.currentProject);
  const projects = [...current, ...known.filter((name) => !current.includes(name))].slice(0, MAX_PROJECTS);
  const rest = OF_ALL.map((key) => say(key));
  // Where other agents could be offered, none of them was asked for.
  const question = say(bound.has(HANDOFF_TOOL) ? 'planner.nobody-does' : 'planner.not-understood');
  return toMenu(question, [...projects, ...rest], text);
}

/** Answers a text that is only the name of a project with what can be done with it; null for any other text. A question offers no change. */
export function readProjectMenu(text: string, around: RequestContext): PlannerStep | null {
  const words = tokenize(text).filter(({ lower }) => !isFiller(lower));
  const [only] = words;
  const project = around.facts.known['project']?.find((name) => name.toLowerCase() === only?.lower);
  return project === undefined || words.length > 1 ? null : toProjectMenu(project, text, around);
}

function toProjectMenu(project: string, text: string, { mayChange }: RequestContext): PlannerStep {
  const keys = mayChange && !isQuestionText(text) ? [...LOOKS, ...CHANGES] : LOOKS;
  const labels = keys.map((key) => say(key, { project }));
  return toMenu(say('planner.about-project', { project }), labels, text);
}

function toMenu(question: string, labels: readonly string[], text: string): PlannerStep {
  const choices = labels.map((label) => ({ label, value: label }));
  const offer: OpenQuestion = { tool: null, args: {}, slot: MENU_SLOT, choices, question: '', text, tries: 0 };
  return { ...toAnswerStep(question, 'cannot'), offer };
}
