import type { Risk } from '@signalbox/contracts/governance/action';
import { findAlarm } from './alarms.ts';
import { agreesWithShfmt, parseWithUnbash } from './parsers.ts';
import { findServerProblem, hardenForServer } from './server.ts';
import { splitWords } from './words.ts';
import { hardenPipeline } from './xargs.ts';

/** What becomes of one shell command. */
export interface Classification {
  /** `run` unasked, `ask` a person, or `deny`: it can only do harm. */
  readonly decision: 'run' | 'ask' | 'deny';
  /** One sentence for people: why. */
  readonly reason: string;
  /** With `run`: the argv vectors, joined by pipes and executed as they are, without a shell. Null otherwise. */
  readonly pipeline: readonly (readonly string[])[] | null;
  readonly risk: Risk;
  /** The names of the programs that it would start, as far as they can be read. */
  readonly programs: readonly string[];
}

/** Where a command begins: in a workspace, locked in; or on a server, as the user under which Signalbox works there. */
export type Place = 'workspace' | 'server';

/** Longest command that is looked at, in characters: what a person can still read on a card. */
const MAX_LENGTH = 4000;
/** Most programs in one pipeline: each is a process, and no person reads more. */
const MAX_PROGRAMS = 10;

/**
 * Decides what becomes of a command. `run` only if every program and every argument is on the list of what only reads, and
 * three readers of it (a strict grammar, unbash, shfmt) see the same words. Pure and total: it starts nothing, never throws
 * and takes some milliseconds, whatever the input.
 */
export function classifyCommand(command: string, place: Place = 'workspace'): Classification {
  if (command.length > MAX_LENGTH)
    return ask(`It is longer than ${MAX_LENGTH} characters, more than a person can check.`, 'dangerous', []);
  try {
    return classify(command, place);
  } catch {
    // A parser gave up on it. That is as good a reason to look as any.
    return ask('It could not be read safely.', 'dangerous', []);
  }
}

function classify(command: string, place: Place): Classification {
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
  const problem = problems.find((one) => one !== null) ?? null;
  if (problem !== null) return ask(problem, alarm.risk, programs);
  const pipeline = place === 'server' ? hardened.pipeline.map(hardenForServer) : hardened.pipeline;
  if (JSON.stringify(parseWithUnbash(command)) !== JSON.stringify(vectors) || !agreesWithShfmt(command, commands))
    return ask('It can be read in more than one way.', 'dangerous', programs);
  return { decision: 'run', reason: `It only reads (${programs.join(', ')}).`, pipeline, risk: 'safe', programs };
}

function ask(reason: string, risk: Risk, programs: readonly string[]): Classification {
  return { decision: 'ask', reason, pipeline: null, risk, programs };
}
