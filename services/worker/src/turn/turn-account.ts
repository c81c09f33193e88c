import type { Receipt } from '@signalbox/contracts/conversation/envelope';
import { readEarlierToolCalls, readLedger, type LedgerEntry } from '@signalbox/store/receipts';
import type { Pool } from '@signalbox/store/pool';
import { getCurrentLanguage, DEFAULT_LANGUAGE } from '@signalbox/messages/language';
import { say } from '@signalbox/messages/say';
import { escapeText } from '@signalbox/safety/cards/canonical-card';
import type { AgentRecord, AgentReply } from '../agents/agent.ts';
import type { DecisionEnvelope, ResumeResult } from '@signalbox/governance/resume-decision';
import {
  getActionTitle,
  listLedgerFacts,
  hasEffect,
  createReceipts,
  getReceiptTitle,
  sayActionState,
} from '@signalbox/governance/receipts';
import { listNamedEntities, listNameWords } from '@signalbox/governance/provenance/signs';
import { toClaimGrounds } from '@signalbox/governance/provenance/context-grounds';
import {
  listEntityFacts,
  isUnfounded,
  chooseStatusLine,
  listArgumentNames,
  type StatusLineInput,
  type EntityFact,
  type ClaimGrounds,
} from '@signalbox/governance/provenance/unfounded';
import type { NameCache } from '../agents/known-names.ts';
import type { ToolCallResult } from '@signalbox/governance/calls/call';
import type { Tool } from '../tools/tool.ts';
import type { PlanNews } from './news/plan-news.ts';
import type { ThreadTitle, TurnContext } from './turn-end.ts';

/*
 * The runtime, not a model, reports what happened: receipts of effects from the ledger stand below a turn's texts. Without effects, when
 * a change was requested or a text sounds like a report, a line says that nothing changed, judged by the facts at the time of the text.
 * The model's own text is unchanged.
 */

export interface TurnReportDeps {
  readonly pool: Pool;
  readonly names: NameCache;
  /** Returns the properties of an installed tool; null for unknown tools. */
  toolKind(tool: string): Pick<Tool, 'isRead' | 'evidence' | 'order' | 'hasSpokenReceipt'> | null;
  /** True when the tool belongs to one agent, whose people know nothing of tools. */
  isOwned(tool: string): boolean;
  readonly verbs: ReadonlySet<string>;
  readonly timeZone: string;
}

const TITLE_LENGTH = 80;
/** The maximum number of changes in a summary; the ledger has all. */
const CHANGES_TOLD = 10;
const SUMMARY_LENGTH = 1_000;

/** Collects what one turn did, for its receipts and lines. Reads the database when needed, and writes nothing. */
export class TurnReport {
  readonly #parts: TurnReportDeps;
  readonly #context: TurnContext;
  readonly #turnKey: string;
  /** Actions of other turns that this turn reports. */
  readonly #actions: string[];
  /** Texts that the runtime wrote in this turn. */
  readonly #says: string[];
  readonly #facts: EntityFact[] = [];
  readonly #standing: EntityFact[] = [];
  /** True when a call may have a ledger entry: all calls but reads. */
  #hasEntries: boolean;
  /** Names that the person or calls of this turn mentioned. */
  readonly #named = new Set<string>();
  #earlier: Promise<readonly EntityFact[]> | null = null;
  /** Reads the ledger once, at the end of the turn, when it no longer changes. */
  #atEnd: (() => Promise<readonly LedgerEntry[]>) | null = null;
  #asked: StatusLineInput['asked'] = 'nothing';

  constructor(parts: TurnReportDeps, context: TurnContext) {
    const { batch, turnId } = context;
    this.#parts = parts;
    this.#context = context;
    this.#turnKey = batch[0]?.envelope.id ?? turnId;
    this.#actions = batch.flatMap(({ envelope }) => idsOf(envelope));
    this.#hasEntries = this.#actions.length > 0;
    for (const { envelope } of batch)
      if (envelope.kind === 'message') for (const name of listNamedEntities(envelope.text)) this.#named.add(name);
    this.#says = batch.flatMap(({ envelope }) => ('say' in envelope ? [envelope.say] : []));
  }

  note(tool: string, result: Omit<ToolCallResult, 'code'>): void {
    this.#says.push(result.say);
    if (result.ok) this.#facts.push(...this.#evidence(tool, result.result));
    const kind = this.#parts.toolKind(tool);
    this.#hasEntries ||= result.decided ? result.decided.action.assessment.risk !== 'safe' : kind?.isRead === false;
    const came = cameToNothing(kind, result);
    if (came === null) return;
    this.#ask(came);
    for (const name of listArgumentNames(result.decided?.action.arguments)) this.#named.add(name);
  }

  /** Notes a text of the runtime: a model that repeats it word for word makes no claim. */
  said(words: string): void {
    this.#says.push(words);
  }

  /** Notes plans that ended in this turn: what they say, and the actions of their steps. */
  planEnded({ said, actions }: Pick<PlanNews, 'said' | 'actions'>): void {
    this.#says.push(...said);
    this.#actions.push(...actions);
    this.#hasEntries ||= actions.length > 0;
  }

  /** Notes news of changes of code, as the runtime tells them. A change that asks its person has done nothing yet. */
  changeEnded(batch: TurnContext['batch'], asking: readonly string[]): void {
    for (const { envelope } of batch) if (envelope.kind === 'job-finished') this.said(envelope.say);
    for (const runId of asking) this.#actions.splice(this.#actions.indexOf(runId), 1);
  }

  /** Notes the decision that the turn reports. */
  decided({ actionId }: DecisionEnvelope, { say, result }: ResumeResult): void {
    this.#actions.push(`${actionId}_m`);
    this.#hasEntries = true;
    this.#says.push(say);
    if (!result?.ok) this.#ask('refused');
  }

  async preview(text: string): Promise<string> {
    const line = await this.#lineUnder(text);
    return line === null ? text : `${text}\n\n_${line}_`;
  }

  async midway(reply: AgentReply): Promise<AgentReply> {
    const line = await this.#lineUnder(reply.text);
    return line === null ? reply : { ...reply, receipts: [{ what: line, note: '' }] };
  }

  /** Adds receipts or a line below the turn's last reply. A stopped or failed turn has no record of its passes. */
  async close(
    replies: readonly AgentReply[],
    passes: AgentRecord['passes'] | 'cut short',
  ): Promise<readonly AgentReply[]> {
    const last = replies.at(-1);
    if (!last) return replies;
    if (passes !== 'cut short') this.#noteRecorded(passes);
    else this.#hasEntries = true;
    const texts = replies.map(({ text }) => withoutSaid(text, this.#says));
    const ledger = (this.#atEnd = this.#ledger());
    const mine = this.#hasEntries ? this.#ofThisTurn(await ledger()) : [];
    const hasChanged = mine.some(hasEffect);
    const grounds = await this.#grounds(texts, ledger);
    const lines = replies.map((reply, place) => {
      if (!hasChanged)
        return this.#lineOf([texts[place] ?? ''], hasChanged, this.#groundsAt(grounds, reply, last, passes));
      return reply === last ? this.#lineOf(texts, hasChanged, grounds) : null;
    });
    const isTold = passes !== 'cut short' && texts.every((text) => text.trim() === '');
    const isBrief = isTold && !mine.some(({ tool }) => this.#parts.toolKind(tool)?.hasSpokenReceipt);
    const effects = createReceipts(mine, this.#parts.timeZone, isBrief, (entry) => this.#receiptOf(entry));
    return replies.map((reply, place) => {
      const line = reply === last && !hasChanged && this.#asked === 'refused' ? 'nothing' : (lines[place] ?? null);
      const receipts: readonly Receipt[] = [
        ...(reply === last ? effects : []),
        ...(line === null || isSaid(line, reply, this.#context) ? [] : [{ what: say(`turn.line-${line}`), note: '' }]),
      ];
      return receipts.length === 0 ? reply : { ...reply, receipts };
    });
  }

  /** Chooses the line below texts; a line about a refused call goes below the last text alone. */
  #lineOf(texts: readonly string[], hasChanged: boolean, grounds: ClaimGrounds): ReturnType<typeof chooseStatusLine> {
    return chooseStatusLine(texts, { hasChanged, asked: this.#asked === 'waiting' ? 'waiting' : 'nothing', grounds });
  }

  /** Collects the facts known when a reply was written: earlier look-ups, and what the calls beside the reply were about. */
  #groundsAt(
    grounds: ClaimGrounds,
    reply: AgentReply,
    last: AgentReply,
    passes: AgentRecord['passes'] | 'cut short',
  ): ClaimGrounds {
    if (passes === 'cut short' || reply === last) return grounds;
    const written = passes.findIndex(({ answer }) => answer?.id === reply.key);
    const beside = passes[written];
    if (!beside) return grounds;
    const before = passes.slice(0, written).flatMap(({ calls }) => calls);
    const reads = beside.calls.filter((call) => this.#parts.toolKind(toolOf(call, passes))?.isRead === true);
    const facts = [
      ...before.flatMap((call) => this.#evidence(toolOf(call, passes), call.result.result)),
      ...reads.flatMap(({ callId }) => listEntityFacts(beside.answer?.calls.find(({ id }) => id === callId)?.args)),
    ];
    const ofTurn = new Set(this.#facts);
    return { ...grounds, facts: [...grounds.facts.filter((fact) => !ofTurn.has(fact)), ...facts] };
  }

  /** Names the thread: its title is the task before the first change; a finished thread gets a summary of changes. */
  async describeThread(task: string | null, isFinished: boolean): Promise<ThreadTitle> {
    const entries = this.#hasEntries || isFinished ? await (this.#atEnd ?? this.#ledger())() : [];
    const changes = entries.filter(hasEffect).map((entry) => ({ entry, order: this.#orderOf(entry) }));
    const done = changes.map(({ entry, order }) => [order, sayActionState(entry)].filter(Boolean).join(': '));
    return {
      title: (changes.at(-1)?.order ?? task)?.slice(0, TITLE_LENGTH) || null,
      summary: isFinished && done.length > 0 ? done.slice(-CHANGES_TOLD).join('\n').slice(0, SUMMARY_LENGTH) : null,
    };
  }

  /** Tool names are English, so readers of other languages get the order instead. */
  #receiptOf(entry: LedgerEntry): string {
    const isSpoken = this.#parts.isOwned(entry.tool) || this.#parts.toolKind(entry.tool)?.hasSpokenReceipt === true;
    const isName = getCurrentLanguage() === DEFAULT_LANGUAGE && !isSpoken;
    return isName ? getReceiptTitle(entry) : escapeText(this.#orderOf(entry));
  }

  /** Describes an action's change by the tool's own sentence, else by the receipt's. */
  #orderOf(entry: LedgerEntry): string {
    return getActionTitle(this.#parts.toolKind(entry.tool), entry);
  }

  /** Notes the calls of runs before a crash, which only the record knows. */
  #noteRecorded(passes: AgentRecord['passes']): void {
    for (const context of passes.flatMap(({ asks }) => asks.flatMap(({ facts }) => facts.context ?? []))) {
      const { lines, facts } = toClaimGrounds(context);
      this.#says.push(...lines);
      this.#standing.push(...facts);
    }
    for (const { calls } of passes)
      for (const call of calls) {
        const { decided, result } = call;
        const tool = toolOf(call, passes);
        const recorded = { ...result, result: result.result ?? null, ...(decided ? { decided } : {}) };
        this.note(tool, recorded as ToolCallResult); // the record was made from such a result
      }
  }

  #ask(came: StatusLineInput['asked']): void {
    if (this.#asked !== 'refused') this.#asked = came;
  }

  /** Chooses the line for a text that stands alone; null when no line is needed. */
  async #lineUnder(text: string): Promise<string | null> {
    const own = withoutSaid(text, this.#says);
    const ledger = this.#ledger();
    const grounds = await this.#grounds([own], ledger);
    if (!isUnfounded(own, grounds)) return null;
    const hasChanged = this.#ofThisTurn(await ledger()).some(hasEffect);
    const line = chooseStatusLine([own], { hasChanged, asked: 'nothing', grounds });
    return line === null ? null : say(`turn.line-${line}`);
  }

  /** Collects the certain facts. The history is read only for a text that this turn alone does not support. */
  async #grounds(texts: readonly string[], ledger: () => Promise<readonly LedgerEntry[]>): Promise<ClaimGrounds> {
    const words = [...new Set(texts.flatMap(listNameWords))];
    const names = new Set([
      ...(await this.#parts.names.among(words)),
      ...words.filter((word) => this.#named.has(word)),
    ]);
    const near = { names, verbs: this.#parts.verbs, facts: this.#facts, standing: this.#standing };
    if (!texts.some((text) => isUnfounded(text, near))) return near;
    this.#earlier ??= readEarlierToolCalls(this.#parts.pool, this.#context.threadId).then((calls) =>
      calls.flatMap(({ tool, result }) => this.#evidence(tool, result)),
    );
    const [entries, earlier] = await Promise.all([ledger(), this.#earlier]);
    return {
      ...near,
      facts: [...listLedgerFacts(entries), ...this.#facts],
      standing: [...this.#standing, ...earlier],
    };
  }

  #evidence(tool: string, result: unknown): readonly EntityFact[] {
    return listEntityFacts(this.#parts.toolKind(tool)?.evidence(result));
  }

  /** Returns a function that reads the ledger when first called. */
  #ledger(): () => Promise<readonly LedgerEntry[]> {
    let read: Promise<readonly LedgerEntry[]> | null = null;
    return () => (read ??= readLedger(this.#parts.pool, this.#context.threadId, this.#actions));
  }

  #ofThisTurn(entries: readonly LedgerEntry[]): readonly LedgerEntry[] {
    return entries.filter((entry) => entry.turnKey === this.#turnKey || entry.isNamed);
  }
}

type RecordedCall = AgentRecord['passes'][number]['calls'][number];

function toolOf({ callId, decided }: RecordedCall, passes: AgentRecord['passes']): string {
  const asked = passes.flatMap(({ answer }) => answer?.calls ?? []).find(({ id }) => id === callId);
  return decided?.action.tool ?? asked?.name ?? '';
}

/** True when a call requested a change that did not take place. */
function cameToNothing(
  kind: ReturnType<TurnReportDeps['toolKind']>,
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

/** True when the text already says the line: at its end, or about waiting approval cards. */
function isSaid(line: 'nothing' | 'yet' | 'else', { key, text }: AgentReply, { lane, batch }: TurnContext): boolean {
  // What the judge adds at the end of a turn follows the line.
  const nothing = say('turn.line-nothing');
  if (line === 'nothing' && key.endsWith('_end')) return text.includes(nothing);
  if (line === 'nothing') return text.replace(/(?<![\s_*])[\s_*]+$/, '').endsWith(nothing);
  return line === 'yet' && lane.waiting.length > 0 && batch.some(({ envelope }) => envelope.kind === 'message');
}

/** Removes the runtime's own sentences of this turn from a text, those first that hold others. */
function withoutSaid(text: string, says: readonly string[]): string {
  const longest = says.toSorted((one, other) => other.length - one.length);
  return longest.reduce((rest, said) => (said.trim() === '' ? rest : rest.split(said.trim()).join(' ')), text);
}

function idsOf(envelope: TurnContext['batch'][number]['envelope']): readonly string[] {
  if (envelope.kind === 'decision') return [envelope.actionId];
  return envelope.kind === 'job-finished' ? [envelope.runId] : [];
}
