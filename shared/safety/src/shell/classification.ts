import type { Risk } from '@signalbox/contracts/governance/action';
import { findAlarm } from './alarms.ts';
import { agreesWithShfmt, parseWithUnbash } from './parsers.ts';
import { findServerProblem, hardenForServer } from './server.ts';
import { splitWords } from './words.ts';
import { hardenPipeline } from './xargs.ts';

export interface Classification {
  /** What happens with the command: `run` without asking, `ask` a person, or `deny` because it can only do harm. */
  readonly decision: 'run' | 'ask' | 'deny';
  /** The reason for the decision in one sentence for people. */
  readonly reason: string;
  /** The pipeline of a command that may run: argument lists joined by pipes, executed without a shell. Null otherwise. */
  readonly pipeline: readonly (readonly string[])[] | null;
  readonly risk: Risk;
  /** Names of the programs that the command would start, as far as readable. */
  readonly programs: readonly string[];
}

/** Where a command runs: sandboxed in a workspace, or on a server as Signalbox's user. */
export type CommandTarget = 'workspace' | 'server';

/** Maximum length of a command that a person can check on a card, in characters. */
const MAX_LENGTH = 4000;
/** Maximum programs in a pipeline: each is a process, and nobody reads more. */
const MAX_PROGRAMS = 10;

/**
 * Classifies a command. `run` only when every program and argument is on the read-only list and three parsers (a strict grammar, unbash,
 * shfmt) agree about the words. Pure and total: starts nothing, never throws, takes some milliseconds.
 */
export function classifyCommand(command: string, place: CommandTarget = 'workspace'): Classification {
  if (command.length > MAX_LENGTH)
    return ask(`It is longer than ${MAX_LENGTH} characters, more than a person can check.`, 'dangerous', []);
  try {
    return classify(command, place);
  } catch {
    // A command that a parser cannot read needs a person.
    return ask('It could not be read safely.', 'dangerous', []);
  }
}

function classify(command: string, place: CommandTarget): Classification {
  const alarm = findAlarm(command);
  if (alarm.deny !== null)
    return { decision: 'deny', reason: alarm.deny, pipeline: null, risk: 'dangerous', programs: alarm.programs };
  const { commands, ...split } = splitWords(command);
  if (commands === null)
    return ask('reason' in split ? split.reason : 'It could not be read.', alarm.risk, alarm.programs);
  if (commands.length > MAX_PROGRAMS)
    return ask(`It joins more than ${MAX_PROGRAMS} programs.`, alarm.risk, alarm.programs);
  const vectors = commands.map((words) => words.map(({ value }) => value));
  const programs = [...new Set(vectors.map(([name = '']) => name))];
  const hidden = commands.find(([name]) => name?.raw !== name?.value);
  if (hidden) return ask('The name of a program is hidden by quotes or backslashes.', 'dangerous', programs);
  const hardened = hardenPipeline(vectors);
  if ('reason' in hardened) return ask(hardened.reason, alarm.risk, programs);
  const problems = place === 'server' ? vectors.map(findServerProblem) : [];
  const problem = problems.find((found) => found !== null) ?? null;
  if (problem !== null) return ask(problem, alarm.risk, programs);
  const pipeline = place === 'server' ? hardened.pipeline.map(hardenForServer) : hardened.pipeline;
  if (JSON.stringify(parseWithUnbash(command)) !== JSON.stringify(vectors) || !agreesWithShfmt(command, commands))
    return ask('It can be read in more than one way.', 'dangerous', programs);
  return { decision: 'run', reason: `It only reads (${programs.join(', ')}).`, pipeline, risk: 'safe', programs };
}

function ask(reason: string, risk: Risk, programs: readonly string[]): Classification {
  return { decision: 'ask', reason, pipeline: null, risk, programs };
}
