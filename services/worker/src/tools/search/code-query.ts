import { sql, type Sql } from '@signalbox/store/sql';

/** A place in the repository of a project. */
export interface CodeHit {
  readonly project: string;
  /** The branch, tag or short commit under which people know the commit. */
  readonly ref: string;
  readonly commit: string;
  readonly path: string;
  readonly line: number;
  readonly heading: string;
  readonly excerpt: string;
  readonly relevance: number;
}

export interface CodeQuery {
  readonly query: string;
  readonly isDocs: boolean;
  /** Only these projects are searched; the caller has asked whether the person may read them. */
  readonly projects: readonly string[];
  /** A branch, tag or commit; null for the main branches. */
  readonly ref: string | null;
  readonly limit: number;
}

/** A passage with its place, before its excerpt is chosen. */
export interface Ranked extends Omit<CodeHit, 'excerpt' | 'relevance'> {
  readonly content: string;
  readonly score: number;
}

/** The rows of `r` that are searched. */
export function filterRefs({ projects, ref }: CodeQuery): Sql {
  return sql`r.project = any (${projects}::text[]) and (${ref}::text is null and r.is_main
    or ${ref} = any (r.names) or ${ref} = r.commit or length(${ref}) >= 7 and starts_with(r.commit, ${ref}))`;
}
