import { ExecutionTurn, type RecordedCall } from '@signalbox/contracts/governance/execution-turn';
import { listControlStates } from '@signalbox/contracts/governance/control-state';
import { readTurn, type RecordedTurn } from '@signalbox/store/governance/execution-turns';
import { AppError } from '@signalbox/contracts/errors';
import { sayDuration } from '@signalbox/messages/duration';
import { runSubcommand, type CommandContext, type CommandResult } from '../command.ts';
import { formatCount, formatTime } from '../table.ts';

/** Longer texts are cut; `--json` shows them in full. */
const MAX_SHOWN_LENGTH = 160;

/** `turns show`: shows a turn pass by pass: phases, proposals, decisions, results and durations. */
export function runTurns(context: CommandContext): Promise<CommandResult> {
  return runSubcommand(context, { show: { words: 1, run: showTurn } });
}

async function showTurn(context: CommandContext, turnId: string): Promise<CommandResult> {
  const turn = await readTurn(context.database(), turnId);
  if (!turn) throw new AppError('NOT_FOUND', { kind: 'turn', name: turnId, known: 'see `threads show`' });
  const records = turn.records.map(({ record }) => ExecutionTurn.parse(record));
  const recordsWithStates = records.map((record) => ({ ...record, states: listControlStates(record) }));
  return { ok: true, data: { ...turn, records: recordsWithStates }, lines: describe(turn, records) };
}

function describe(turn: RecordedTurn, records: readonly ExecutionTurn[]): readonly string[] {
  const [first] = records;
  const head = `${turn.turnId}  ${turn.outcome}, ${sayDuration(turn.durationMs)}, began ${formatTime(turn.startedAt)}`;
  if (!first) return [head, `  thread ${turn.threadId ?? '-'}; no agent took part, so there is no record`];
  const { actor } = records.at(-1)?.ended?.run ?? { actor: null };
  const decision = first.began?.decision;
  return [
    head,
    `  thread ${first.threadId}, ${actor ? `${actor.name} (${actor.role})` : first.userKey}, agent ${first.agent}`,
    `  policy ${first.policy.version.slice(0, 12)}, prompt ${first.versions.prompt.slice(0, 12)}, tools ${first.versions.tools.slice(0, 12)}`,
    ...(first.began?.messages ?? []).map(({ text }) => `  ▸ ${cut(text)}`),
    ...(decision ? [`  ${decision.approvalId} ${decision.outcome}: ${cut(decision.say)}`] : []),
    ...records.filter(({ pass }) => pass > 0).flatMap(describePass),
    ...(turn.error === null ? [] : [`  error ${cut(turn.error)}`]),
  ];
}

function describePass(record: ExecutionTurn): readonly string[] {
  const { pass, phases, asks, answer, calls, outcome } = record;
  return [
    '',
    `  pass ${pass}  ${listControlStates(record).join(' ▸ ')}${outcome === null ? '' : `  → ${outcome}`}`,
    `    phases ${phases.join(' ▸ ')}`,
    ...asks.flatMap(({ node, model, context, durationMs, answer: own }) => [
      `    ${node} asked ${model}, ${durationMs} ms, context ${context.hash.slice(0, 12)}`,
      ...describeReasoning(own),
    ]),
    ...describeReasoning(answer),
    ...(answer && answer.text !== '' ? [`    said ${cut(answer.text)}`] : []),
    ...calls.flatMap((call) => describeCall(record, call)),
    ...(answer && calls.length < answer.calls.length
      ? [`    ${formatCount(answer.calls.length - calls.length, 'call')} not carried out to its end`]
      : []),
  ];
}

function describeReasoning(answer: ExecutionTurn['answer']): readonly string[] {
  return answer?.reasoning === undefined ? [] : [`    because ${cut(answer.reasoning)}`];
}

function describeCall(
  { answer }: ExecutionTurn,
  { callId, decided, result, durationMs }: RecordedCall,
): readonly string[] {
  const call = answer?.calls.find(({ id }) => id === callId);
  const rule = decided?.decision;
  return [
    `    ${call?.name ?? callId} ${cut(JSON.stringify(call?.args ?? {}))}`,
    ...(rule
      ? [
          `      ${rule.effect} by ${rule.rule}, score ${rule.score}, risk ${decided.action.assessment.risk}: ${rule.sentence}`,
        ]
      : []),
    `      ${result.ok ? 'ok' : (result.code ?? 'refused')}, ${durationMs} ms: ${cut(result.say)}`,
  ];
}

function cut(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= MAX_SHOWN_LENGTH ? line : `${line.slice(0, MAX_SHOWN_LENGTH)}…`;
}
