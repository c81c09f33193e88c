import type { Environment } from '@signalbox/contracts/conversation/fields';
import { say } from '@signalbox/messages/say';

export const KNOWLEDGE_SCOPES = ['docs', 'code', 'history', 'logs'] as const;
export type HitScope = (typeof KNOWLEDGE_SCOPES)[number];
export type KnowledgeScope = HitScope | 'all';

export interface KnowledgeQuery {
  readonly query: string;
  readonly scope: KnowledgeScope;
  readonly project?: string | undefined;
  /** A branch, tag or commit of the project; the main branch when left out. */
  readonly ref?: string | undefined;
}

/** Whoever searches. What they may read is asked before anything is read, by the tool that reads it for people. */
export interface KnowledgeReader {
  readonly userKey: string;
  /** The chat in which they ask: where others read, only what was said there is found. Null when only they read. */
  readonly chatKey: string | null;
  mayRead(tool: string, args: Readonly<Record<string, unknown>>): boolean;
  /** Reads logs of running services; missing where there are no jobs. */
  readonly liveLogs?: LiveLogs;
}

/** The call of a tool that shows more of a hit. */
export interface NextCall {
  readonly tool: string;
  readonly args: Readonly<Record<string, string | number>>;
}

export interface KnowledgeHit {
  readonly scope: HitScope;
  /** The place: `shop@main:src/server.js:12`, a page and heading, a conversation or deployment and its time. */
  readonly source: string;
  readonly excerpt: string;
  readonly relevance: number;
  readonly at: Date | null;
  readonly next: NextCall | null;
  /** True for the product's own manual; everything else was written by others. */
  readonly isOwn: boolean;
}

export interface KnowledgeResult {
  readonly hits: readonly KnowledgeHit[];
  /** Scopes of which nothing is indexed. */
  readonly unavailable: readonly string[];
  /** Scopes that this person may not read, in the asked project or in any. */
  readonly refused: readonly string[];
  /** The refs that can be searched, when the asked one cannot. */
  readonly refs: readonly string[];
}

/** Hits of one scope. `refused`: the person may read none of it. */
export interface ScopeResult {
  readonly hits: readonly KnowledgeHit[];
  readonly state: 'searched' | 'unavailable' | 'refused';
  readonly refs?: readonly string[];
}

/** Reads the newest lines of a running service's log that contain a word, within a deadline of its own; empty when it cannot. */
export type LiveLogs = (
  service: { readonly project: string; readonly environment: Environment },
  word: string,
) => Promise<readonly { readonly line: string; readonly at: string | null }[]>;

/** Formats a time of a hit: `2026-01-31 12:00`. */
export function formatHitTime(at: Date): string {
  return at.toISOString().slice(0, 16).replace('T', ' ');
}

/** Says whose words of a conversation a hit is, and when they were said. */
export function sayMoment(isPerson: boolean, at: Date): string {
  return say('agent.historyOf', { who: isPerson ? 'person' : 'us', at: formatHitTime(at) });
}
