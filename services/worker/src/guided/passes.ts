import type { PassRecord, RecordedAnswer } from '@signalbox/contracts/governance/execution-turn';
import type { NodeRecord } from './state.ts';

export type RecordedVersions = Omit<PassRecord['versions'], 'model'>;

type Acted = Extract<NodeRecord, { kind: 'acted' }>;
type Read = Extract<NodeRecord, { kind: 'read' }>;

/** Lists the passes of a turn: each text that a model read, and each node with calls, is a pass. Pure. */
export function listPasses(parts: readonly NodeRecord[], versions: RecordedVersions): readonly PassRecord[] {
  return groupParts(parts).map(({ read, acted }, index) => ({
    pass: index + 1,
    phases: acted?.phases ?? ['THINKING'],
    versions: { ...versions, model: read?.asks.at(-1)?.model ?? null },
    runs: { read: read?.run ?? null, asked: null, acted: acted?.run ?? null },
    asks: read?.asks ?? [],
    answer: acted ? proposalOf(acted) : null,
    calls: acted?.calls.map(({ tool: _tool, args: _args, ...call }) => call) ?? [],
    outcome: acted?.outcome ?? null,
  }));
}

function groupParts(parts: readonly NodeRecord[]): readonly { readonly read?: Read; readonly acted?: Acted }[] {
  const passes: { read?: Read; acted?: Acted }[] = [];
  for (const part of parts) {
    const last = passes.at(-1);
    if (part.kind === 'acted' && last && !last.acted) last.acted = part;
    else passes.push(part.kind === 'read' ? { read: part } : { acted: part });
  }
  return passes;
}

function proposalOf({ answerId, calls }: Acted): RecordedAnswer {
  return {
    id: answerId,
    modelId: null,
    text: '',
    calls: calls.map(({ callId, tool, args }) => ({
      id: callId,
      name: tool,
      args: args as RecordedAnswer['calls'][number]['args'], // the arguments were proposed as JSON
    })),
    unreadable: [],
    extras: {},
  };
}
