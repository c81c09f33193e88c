import { loadWorkerParts } from './plugin-parts.ts';
import type { PolicyEngine } from '@signalbox/contracts/governance/decision';
import type { Role } from '@signalbox/contracts/governance/roles';
import { mayRead } from '@signalbox/governance/permissions/read-permission';
import type { Embedder } from '@signalbox/models/embeddings/embedder';
import type { Log } from '@signalbox/platform/log';
import type { Pool } from '@signalbox/store/pool';
import type { KnowledgeQuery, KnowledgeResult } from './tools/search/hit.ts';
import { createKnowledgeSearch } from './tools/search/knowledge-search.ts';
import { createQueryVectors, type VectorOutcome } from './tools/search/query-vector.ts';
import { createRegistry, loadCapabilities } from './tools/registry.ts';

/** Somebody whose rights a search has, or null for the owner of the installation, who has said nothing. */
export type SearchPerson = { readonly userKey: string; readonly name: string; readonly role: Role } | null;

const LIMITS = { callsPerHour: null, tokensPerDay: null, costUsdPerDay: null };

export interface SearchDeps {
  readonly pool: Pool;
  readonly policy: PolicyEngine;
  readonly plugins: string;
  /** Null without an embeddings server. */
  readonly embedder: Embedder | null;
  readonly log: Log;
  /** Told how the search came by vectors. */
  readonly note: (outcome: VectorOutcome) => void;
}

/** Searches as the tool search_knowledge does for a person in their private chat; logs of running services are not read. */
export async function searchAs(
  { pool, policy, plugins, embedder, log, note }: SearchDeps,
  person: SearchPerson,
  asked: KnowledgeQuery,
  limit: number,
): Promise<KnowledgeResult> {
  const knowledge = createKnowledgeSearch(pool, createQueryVectors({ pool, embedder, log, note }));
  if (person === null) return knowledge.search(asked, { userKey: '', chatKey: null, mayRead: () => true }, limit);
  const { groups } = await loadWorkerParts(plugins);
  const tools = createRegistry(await loadCapabilities([], groups));
  const scope = {
    actor: person,
    agent: { id: 'product_owner', class: 'CONTROL_PLANE' },
    threadId: '',
    turnId: '',
    chatKey: '',
    inGroup: false,
    now: () => new Date(),
  } as const;
  const deps = { tools, policy: () => policy, limits: LIMITS };
  const reader = {
    userKey: person.userKey,
    chatKey: null,
    mayRead: (tool: string, args: Readonly<Record<string, unknown>>) => mayRead(deps, scope, tool, args),
  };
  return knowledge.search(asked, reader, limit);
}
