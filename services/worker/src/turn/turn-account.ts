import type { Receipt } from '@signalbox/contracts/conversation/envelope';
import { namesAmong, readEarlierCalls, readLedger, type LedgerEntry } from '@signalbox/store/receipts';
import type { Pool } from '@signalbox/store/pool';
import type { AgentRecord, AgentReply } from '../agents/agent.ts';
import type { DecisionEnvelope, Resumed } from '../governance/approvals/approval-resume.ts';
import { factsOfLedger, isEffect, RECEIPT_WORDS, receiptsFor } from '../governance/receipts.ts';
import { wordsOf } from '../governance/signs.ts';
import { factsOf, isUnfounded, lineBelow, namesIn, type Account, type Fact } from '../governance/unfounded.ts';
import type { ToolCallResult } from '../tools/call.ts';
import type { Tool } from '../tools/tool.ts';
import type { TurnContext } from './turn-end.ts';

/*
 * What happened is said by the runtime and not by a model: below the texts of a turn stand the receipts of its effects, from the
 * ledger. Where there are none, and a change was asked for or a text looks like a report, one line says that nothing was changed. The
 * words of a model are left as they are.
 */

export interface AccountParts {
  readonly pool: Pool;
  /** What the runtime knows of a tool; null for one that is not installed. */
  toolKind(tool: string): Pick<Tool, 'isRead' | 'evidence'> | null;
  /** With which commands begin that people may type. */
  readonly verbs: ReadonlySet<string>;
  readonly timeZone: string;
}

export interface TurnAccount {
  /** Notes what a call came to. */
  note(tool: string, result: ToolCallResult): void;
  /** Notes words of the runtime: told again as they are, they are no claim of a model. */
  said(words: string): void;
  /** A decision that the turn is about. */
  decided(envelope: DecisionEnvelope, resumed: Resumed): void;
  /** A text that is being written, with the line that it would get. */
  preview(text: string): Promise<string>;
  /** A reply in the middle of the turn. */
  midway(reply: AgentReply): Promise<AgentReply>;
  /** All replies of the turn, with the receipts of its effects below the last, or a line. One cut short has no record of its passes. */
  close(replies: readonly AgentReply[], passes: AgentRecord['passes'] | 'cut short'): Promise<readonly AgentReply[]>;
}

/** The account of one turn. It reads the database when something has to be known, and writes nothing. */
export function openAccount(parts: AccountParts, context: TurnContext): TurnAccount {
  const { pool, toolKind, verbs } = parts;
  const { threadId, batch, turnId } = context;
  const turnKey = batch[0]?.envelope.id ?? turnId;
  const named = batch.flatMap(({ envelope }) => idsOf(envelope));
  const says = batch.flatMap(({ envelope }) => ('say' in envelope ? [envelope.say] : []));
  const facts: Fact[] = [];
  const names = new Map<string, boolean>();
  let earlier: Promise<readonly Fact[]> | null = null;
  let asked: Account['asked'] = 'nothing';

  const trusted = (tool: string, result: unknown): readonly Fact[] => factsOf(toolKind(tool)?.evidence(result));
  const ask = (came: Account['asked']): void => {
    if (asked !== 'refused') asked = came;
  };
  const noteCall = (tool: string, result: Omit<ToolCallResult, 'code'>): void => {
    says.push(result.say);
    if (result.ok) facts.push(...trusted(tool, result.result));
    const came = cameToNothing(toolKind(tool), result);
    if (came === null) return;
    ask(came);
    for (const name of namesIn(result.decided?.action.arguments)) names.set(name, true);
  };
  const known = async (texts: readonly string[]): Promise<ReadonlySet<string>> => {
    const words = [...new Set(texts.flatMap(wordsOf))];
    const news = words.filter((word) => !names.has(word));
    const found = new Set(await namesAmong(pool, news));
    for (const word of news) names.set(word, found.has(word));
    return new Set(words.filter((word) => names.get(word)));
  };
  const ledger = (): Promise<readonly LedgerEntry[]> => readLedger(pool, threadId, named);
  const ofThisTurn = (entries: readonly LedgerEntry[]): readonly LedgerEntry[] =>
    entries.filter((entry) => entry.turnKey === turnKey || entry.isNamed);
  const grounds = async (texts: readonly string[], entries: readonly LedgerEntry[]): Promise<Account['grounds']> => {
    earlier ??= readEarlierCalls(pool, threadId).then((calls) =>
      calls.flatMap(({ tool, result }) => trusted(tool, result)),
    );
    return { names: await known(texts), verbs, facts: [...factsOfLedger(entries), ...facts, ...(await earlier)] };
  };
  const own = (text: string): string => withoutSaid(text, says);
  /** The line that a text would get that stands by itself. */
  const lineUnder = async (text: string): Promise<string | null> => {
    const texts = [own(text)];
    if (!isUnfounded(texts[0] ?? '', { names: await known(texts), verbs, facts })) return null;
    const entries = await ledger();
    const hasChanged = ofThisTurn(entries).some(isEffect);
    const line = lineBelow(texts, { hasChanged, asked: 'nothing', grounds: await grounds(texts, entries) });
    return line === null ? null : RECEIPT_WORDS[line];
  };

  return {
    note: noteCall,
    said: (words) => void says.push(words),
    decided: ({ actionId }, { say, result }) => {
      named.push(`${actionId}_m`);
      says.push(say);
      if (!result?.ok) ask('refused');
    },
    preview: async (text) => {
      const line = await lineUnder(text);
      return line === null ? text : `${text}\n\n_${line}_`;
    },
    midway: async (reply) => {
      const line = await lineUnder(reply.text);
      return line === null ? reply : { ...reply, receipts: [{ what: line, note: '' }] };
    },
    close: async (replies, passes) => {
      const last = replies.at(-1);
      if (!last) return replies;
      // Those of a run before a crash are known by the record alone.
      for (const { calls, answer } of passes === 'cut short' ? [] : passes)
        for (const { callId, decided, result } of calls) {
          const tool = decided?.action.tool ?? answer?.calls.find(({ id }) => id === callId)?.name ?? '';
          noteCall(tool, {
            ...result,
            result: result.result ?? null,
            ...(decided ? { decided } : {}),
          } as ToolCallResult); // as it was recorded
        }
      const texts = replies.map(({ text }) => own(text));
      const entries = await ledger();
      const mine = ofThisTurn(entries);
      const hasChanged = mine.some(isEffect);
      const line = lineBelow(texts, { hasChanged, asked, grounds: await grounds(texts, entries) });
      const isBrief = passes !== 'cut short' && texts.every((text) => text.trim() === '');
      const receipts: readonly Receipt[] = [
        ...receiptsFor(mine, parts.timeZone, isBrief),
        ...(line === null || isSaid(line, last, context) ? [] : [{ what: RECEIPT_WORDS[line], note: '' }]),
      ];
      return receipts.length === 0 ? replies : [...replies.slice(0, -1), { ...last, receipts }];
    },
  };
}

/** Whether a call asked for a change that did not take place; null when it did, or when it asked for none. */
function cameToNothing(
  kind: ReturnType<AccountParts['toolKind']>,
  { ok, decided }: Omit<ToolCallResult, 'code'>,
): 'waiting' | 'refused' | null {
  if (kind === null) return null;
  const isChange = decided
    ? decided.action.assessment.risk !== 'safe' || decided.decision.effect !== 'run'
    : !kind.isRead;
  if (!isChange || (decided && kind.isRead && decided.decision.effect === 'deny')) return null;
  if (!ok) return 'refused';
  return decided && decided.decision.effect !== 'run' ? 'waiting' : null;
}

/** Whether the text says already what the line would: at its end, or in the words about cards that wait. */
function isSaid(line: 'nothing' | 'yet' | 'else', { key, text }: AgentReply, { lane, batch }: TurnContext): boolean {
  // What the judge says at the end of a turn goes on after it.
  if (line === 'nothing' && key.endsWith('_end')) return text.includes(RECEIPT_WORDS.nothing);
  if (line === 'nothing') return text.replace(/[\s_*]+$/, '').endsWith(RECEIPT_WORDS.nothing);
  return line === 'yet' && lane.waiting.length > 0 && batch.some(({ envelope }) => envelope.kind === 'message');
}

/** A text without what the runtime itself has said in this turn, word for word. */
function withoutSaid(text: string, says: readonly string[]): string {
  return says.reduce((rest, said) => (said.trim() === '' ? rest : rest.split(said.trim()).join(' ')), text);
}

function idsOf(envelope: TurnContext['batch'][number]['envelope']): readonly string[] {
  if (envelope.kind === 'decision') return [envelope.actionId];
  return envelope.kind === 'job-finished' ? [envelope.runId] : [];
}
