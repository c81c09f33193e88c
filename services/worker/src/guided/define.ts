import type { z } from 'zod';
import type { AgentPlugin } from '../agents/agent.ts';
import { INGEST_NODE } from './ingest.ts';
import { listNodes } from './graph.ts';
import type { ActionSpecs, GuidedSpec } from './spec.ts';
import { TURN_CHANNELS } from './state.ts';
import { createGuidedAgent } from './turn.ts';

/** Defines a guided agent as a plug-in. Throws an error that teaches the author when nodes or migrations do not fit together. */
export function defineGuidedAgent<S extends z.ZodType, A extends ActionSpecs>(spec: GuidedSpec<S, A>): AgentPlugin {
  for (const [name, { then = [] }] of Object.entries(spec.nodes))
    for (const other of then)
      if (!Object.hasOwn(spec.nodes, other)) refuse(spec.id, `${name} goes on to ${other}, which is no node`);
  for (let version = 1; version < spec.stateVersion; version += 1)
    if (!spec.migrations[version]) refuse(spec.id, `no migration leads from version ${version} to ${version + 1}`);
  if (!Object.hasOwn(spec.views, spec.home)) refuse(spec.id, `its home ${spec.home} is no view`);
  return {
    id: spec.id,
    class: spec.class,
    summary: spec.summary,
    stateVersion: spec.stateVersion,
    turnLists: TURN_CHANNELS,
    nodes: [INGEST_NODE],
    graph: listNodes(spec),
    create: (parts) => createGuidedAgent(spec, parts),
  };
}

function refuse(id: string, why: string): never {
  throw new Error(`The guided agent ${id} does not fit together: ${why}.`);
}
