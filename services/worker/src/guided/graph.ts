import type { LangGraphRunnableConfig } from '@langchain/langgraph';
import { END, START, StateGraph } from '@langchain/langgraph';
import type { z } from 'zod';
import type { GraphNode } from '../tools/ports/graph-nodes.ts';
import { chooseNextAct, endAct } from './acts.ts';
import { NodeCalls } from './calls.ts';
import { getRunContext } from './extras.ts';
import { beginAct, CLEAR_NODE, INGEST_NODE, createIngestNode, type GuidedDeps } from './ingest.ts';
import { createActReader } from './provenance.ts';
import { drawView, findQuestion, sendReplies, sendView } from './replies.ts';
import type { ActionSpecs, GuidedSpec, NodeContext, NodeSpec } from './spec.ts';
import { GuidedState, type GuidedStateUpdate, type ServerEvent } from './state.ts';

/*
 *   START ─▶ ingest_input ─┬─ the node that the agent's route names ─▶ … ─┬─▶ clear_pending_action ─▶ END
 *                          ├─ refused ────────────────────────────────────┤              │
 *                          └─ only redrawn ─▶ END     ▲                                  │ a further action
 *                                                     └──────────────────────────────────┘
 *
 * One message goes through the graph at a time. A node continues with one of `then`, or ends its action.
 */

export function listNodes<S extends z.ZodType, A extends ActionSpecs>({
  nodes,
}: GuidedSpec<S, A>): readonly GraphNode[] {
  const own = Object.entries(nodes);
  const before = (name: string): string[] =>
    own.filter(([, { then = [] }]) => then.includes(name)).map(([other]) => other);
  return [
    {
      name: INGEST_NODE,
      does: 'Takes a message and finds out which of the agent’s actions it asks for.',
      after: ['start'],
    },
    ...own.map(([name, { does }]) => ({ name, does, after: [INGEST_NODE, ...before(name)] })),
    {
      name: CLEAR_NODE,
      does: 'Forgets the action that was carried out, and begins the next one that was asked for.',
      after: [INGEST_NODE, ...own.map(([name]) => name)],
    },
  ];
}

export function buildGraph<S extends z.ZodType, A extends ActionSpecs>(spec: GuidedSpec<S, A>, parts: GuidedDeps) {
  const own = Object.entries(spec.nodes);
  const next = ({ meta }: GuidedState): string => meta.next;
  const graph = new StateGraph(GuidedState)
    .addNode(Object.fromEntries(own.map(([name, node]) => [name, runNode(spec, parts, name, node)])))
    .addNode(INGEST_NODE, createIngestNode(spec, parts))
    .addNode(CLEAR_NODE, createClearNode(spec, parts))
    .addEdge(START, INGEST_NODE)
    .addConditionalEdges(INGEST_NODE, next, [...own.map(([name]) => name), CLEAR_NODE, END])
    .addConditionalEdges(CLEAR_NODE, next, [...own.map(([name]) => name), CLEAR_NODE, END]);
  for (const [name, { then = [] }] of own) graph.addConditionalEdges(name, next, [...then, CLEAR_NODE]);
  return graph.compile({ checkpointer: parts.checkpoints });
}

function createClearNode<S extends z.ZodType, A extends ActionSpecs>(
  spec: GuidedSpec<S, A>,
  { others }: Pick<GuidedDeps, 'others'>,
) {
  return (state: GuidedState, config: LangGraphRunnableConfig): GuidedStateUpdate => {
    const chosen = chooseNextAct(state);
    const { current } = chosen.acts;
    const extras = getRunContext(config);
    if (current) return { ...chosen, ...beginAct(spec, state, extras, current, { others }) };
    const asked = state.acts.isAnswered === true ? sendReplies(state, extras, findQuestion(state)) : {};
    return { ...chosen, ...asked, pendingAction: null, meta: { ...state.meta, next: END, open: undefined } };
  };
}

function runNode<S extends z.ZodType, A extends ActionSpecs>(
  spec: GuidedSpec<S, A>,
  parts: Pick<GuidedDeps, 'model' | 'maxPasses'>,
  name: string,
  node: NodeSpec<z.output<S>, A>,
) {
  const { maxPasses } = parts;
  const readAgain = createActReader(spec, parts.model(INGEST_NODE));
  return async (state: GuidedState, config: LangGraphRunnableConfig): Promise<GuidedStateUpdate> => {
    const extras = getRunContext(config);
    const calls = new NodeCalls(extras, state, { groups: spec.groups, readAgain });
    const { mode, device, meta, pendingAction } = state;
    const before = state.domain[spec.id] as z.output<S>; // migrateState parsed it
    const context: NodeContext<z.output<S>, A> = {
      domain: before,
      mode,
      device,
      heard: meta.heard,
      actor: extras.run.actor,
      open: [...state.open, ...state.acts.next].map(({ action }) => action),
      given: (action) =>
        pendingAction?.id === `${spec.id}.${action}`
          ? (pendingAction.data as z.output<A[typeof action]['data']>) // ingest_input parsed it with this action's schema
          : null,
      call: (tool, args) => calls.call(tool, args),
    };
    const outcome = await node.run(context);
    const acted = await calls.end({ maxPasses });
    const domain = spec.domain.parse(Object.assign({}, before, outcome.domain));
    const { goto = CLEAR_NODE, view, awaits = false, asksAgain = false, audit = [] } = outcome;
    if (goto !== CLEAR_NODE && !node.then?.includes(goto))
      throw new Error(`${name} may not go on to ${goto}; add it to then.`);
    const { replies = [] } = outcome;
    const { turnKey } = extras;
    const provenance = calls.trace(before, domain);
    const sent: ReturnType<typeof sendReplies> & Partial<Pick<GuidedState, 'ui'>> =
      view === undefined
        ? sendReplies(state, extras, replies)
        : sendView(state, extras, { state: view, view: drawView(spec, view, domain, { mode, device }), replies });
    const audited = audit.map((payload): ServerEvent => ({ type: 'server.audit.event', turnKey, payload }));
    const events = [...(sent.outbox ?? []), ...audited];
    return {
      ...sent,
      domain: { [spec.id]: domain },
      ui: { ...state.ui, ...sent.ui, awaits },
      meta: { ...meta, next: goto, open: outcome.open },
      ...(goto === CLEAR_NODE ? { acts: endAct(state.acts, asksAgain) } : {}),
      ...provenance,
      ...(outcome.errors === undefined ? {} : { errors: outcome.errors }),
      ...(events.length > 0 ? { outbox: events } : {}),
      ...(acted ? { record: [acted] } : {}),
    };
  };
}
