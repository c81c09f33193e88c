export type KnowledgeScope = 'docs' | 'code' | 'history' | 'logs' | 'all';

export interface KnowledgeHit {
  readonly scope: Exclude<KnowledgeScope, 'all'>;
  /** Where it comes from: a file and heading, or a conversation and its time. */
  readonly source: string;
  readonly excerpt: string;
  /** 0 to 1, for ordering only. */
  readonly relevance: number;
}

/** Full-text search over the documentation and the person's own history. */
export interface Knowledge {
  /** Best first. `userKey` bounds the history to that person. `unavailable` names scopes that hold nothing here yet. */
  search(
    query: string,
    scope: KnowledgeScope,
    userKey: string,
    limit: number,
  ): Promise<{ readonly hits: readonly KnowledgeHit[]; readonly unavailable: readonly string[] }>;
}
