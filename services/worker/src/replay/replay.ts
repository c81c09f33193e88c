import { hashCanonical } from '@signalbox/safety/cards/canonical';
import type { PolicyEngine } from '@signalbox/contracts/governance/decision';
import { ExecutionTurn } from '@signalbox/contracts/governance/execution-turn';
import { readThreadTurns, type RecordedTurn } from '@signalbox/store/governance/execution-turns';
import { findPolicySet } from '@signalbox/governance/policies';
import type { Pool } from '@signalbox/store/pool';
import { loadStoredPolicySet } from '@signalbox/safety/policy/policy-set';
import type { AgentPlugin } from '../agents/agent.ts';
import { listOthers } from '../agents/handoff.ts';
import { loadAgents } from '../agents/registry.ts';
import { loadCapabilities, createRegistry, type ToolRegistry } from '../tools/registry.ts';
import type { ToolGroup, Tool } from '../tools/tool.ts';
import { replayTurn, type ReplayOutcome } from './replay-turn.ts';
import { ReplayStates } from './states.ts';

/*
 * Replay runs a conversation's recorded turns again, in order, so that its state is rebuilt. The model's answers and the tools' results
 * come from the record; the current code repeats everything else, and the two records are compared:
 *
 *   record ─▶ intact? ─▶ agent with states in memory ─▶ its own record ─▶ the first difference, named
 *
 * Replay holds no handler of a tool and no model, and only reads from the pool.
 */

export type TurnReplay = ReplayOutcome & {
  readonly turnId: string;
  readonly threadId: string;
  readonly startedAt: Date;
};

export type Replayer = Awaited<ReturnType<typeof createReplayer>>;

/** Opens a replay of a database's records. `groups` and `agents`: as in the worker's wiring. */
export async function createReplayer(
  pool: Pool,
  groups: readonly ToolGroup[] = [],
  agents: readonly AgentPlugin[] = [],
) {
  const registry = withoutHandlers(await loadCapabilities(groups));
  const plugins = await loadAgents(agents);
  const engine = keepEngines(pool);
  return {
    /** Replays each turn of a conversation, oldest first. `upTo`: the last turn to replay. */
    async *thread(threadId: string, upTo?: string): AsyncGenerator<TurnReplay, void> {
      const states = new ReplayStates();
      let broken: string | null = null;
      for (const turn of await readThreadTurns(pool, threadId)) {
        const { turnId, startedAt } = turn;
        // A notice neither reads nor changes the conversation's state.
        const replayed: ReplayOutcome =
          broken && !isNotice(turn)
            ? { kind: 'not-replayable', why: broken }
            : await replayOne(turn, plugins, (plugin) => ({
                registry,
                plugin,
                others: listOthers(plugin.id, plugins),
                states,
                engine,
              }));
        yield { ...replayed, turnId, threadId, startedAt };
        if (turnId === upTo) return;
        // Later turns depend on a state that now differs from the recorded one.
        if (replayed.kind === 'different' || replayed.kind === 'not-replayable')
          broken ??= `it follows ${turnId}, which did not come out the same`;
      }
    },
  };
}

async function replayOne(
  turn: RecordedTurn,
  plugins: readonly AgentPlugin[],
  partsOf: (plugin: AgentPlugin) => Parameters<typeof replayTurn>[0],
): Promise<ReplayOutcome> {
  if (isNotice(turn)) return { kind: 'nothing', why: 'a notice: no agent took part' };
  if (turn.records.length === 0) return { kind: 'not-replayable', why: 'it has no record' };
  const records: ExecutionTurn[] = [];
  for (const { record, recordHash } of turn.records) {
    const now = hashCanonical(record);
    const pass = (record as { pass?: number }).pass ?? null; // the number is only for the report
    if (now !== recordHash)
      return { kind: 'different', difference: { pass, what: 'record', recorded: recordHash, now } };
    const parsed = ExecutionTurn.safeParse(record);
    if (!parsed.success) return { kind: 'not-replayable', why: 'its record is of another version' };
    records.push(parsed.data);
  }
  const agent = records[0]?.agent;
  const plugin = plugins.find(({ id }) => id === agent);
  if (!plugin) return { kind: 'not-replayable', why: `there is no agent ${agent} any more` };
  const replayed = await replayTurn(partsOf(plugin), records);
  // A forged record may carry its own hash; the audit table has the original hash.
  const [hashes, audited] = [turn.records.map(({ recordHash }) => recordHash).join(), turn.audited?.join() ?? 'none'];
  if (replayed.kind === 'same' && hashes !== audited)
    return {
      kind: 'different',
      difference: { pass: null, what: 'record in the audit', recorded: audited, now: hashes },
    };
  if (replayed.kind === 'different' && records.some(({ redacted, cleanHashes }) => redacted && !cleanHashes))
    return { kind: 'not-replayable', why: `a secret was taken out of its record (${replayed.difference.what})` };
  return replayed;
}

/** True when no agent took part, so the state is unchanged. */
function isNotice({ records, outcome }: RecordedTurn): boolean {
  return records.length === 0 && outcome === 'notice';
}

function keepEngines(pool: Pool): (version: string, timeZone: string) => Promise<PolicyEngine | null> {
  const engines = new Map<string, Promise<PolicyEngine | null>>();
  return (version, timeZone) => {
    const key = `${version} ${timeZone}`;
    const known = engines.get(key) ?? openEngine(pool, version, timeZone);
    engines.set(key, known);
    return known;
  };
}

async function openEngine(pool: Pool, version: string, timeZone: string): Promise<PolicyEngine | null> {
  const files = await findPolicySet(pool, version);
  return files && (await loadStoredPolicySet(files, timeZone)).engine;
}

/** Copies the groups with descriptions, risks and schemas, but without handlers: any call throws. */
function withoutHandlers(groups: readonly ToolGroup[]): ToolRegistry {
  return createRegistry(
    groups.map((group) => ({
      ...group,
      tools: Object.fromEntries(Object.entries(group.tools).map(([name, tool]) => [name, withoutHandler(name, tool)])),
    })),
  );
}

function withoutHandler(name: string, tool: Tool): Tool {
  const refuse = (): never => {
    throw new Error(`${name} was called in a replay, where no tool may run. Results come from the record.`);
  };
  return { ...tool, run: refuse, probe: tool.probe && refuse, resolve: tool.resolve && refuse };
}
