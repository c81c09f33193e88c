import type { NameWords } from '@signalbox/contracts/name-words';
import { readNameWords } from '@signalbox/models/name-words';
import type { Pool } from '@signalbox/store/pool';
import { listValues } from '@signalbox/store/sql';

export type NamesByKind = Readonly<Record<string, readonly string[]>>;

/** Maximum number of newest names that are cached per kind. */
const NEWEST = 100;
const NEAR_PER_WORD = 12;
/** Maximum number of look-ups that are cached until a name changes. */
const LOOKED_UP = 200;

interface ReadNames {
  readonly version: bigint;
  readonly all: { readonly byKind: NamesByKind; readonly archived: readonly string[] } | null;
}

/** Caches names of projects and servers until their version changes. From a long list, only names that match the words are read. */
export class NameCache {
  readonly #pool: Pool;
  #newest = 0n;
  #read: ReadNames | null = null;
  #reading: Promise<ReadNames> | null = null;
  readonly #lookedUp = new Map<string, Promise<NamesByKind>>();

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /** Compares the version of the names in a claimed lane with the cached one; a newer version empties the cache. */
  seen(version: string): void {
    if (BigInt(version) <= this.#newest) return;
    this.#newest = BigInt(version);
    this.forget();
  }

  /** Clears the cache after a call that may have changed names. */
  forget(): void {
    this.#lookedUp.clear();
    if (this.#read && this.#read.all === null) return;
    this.#read = null;
    this.#reading = null;
  }

  /** Returns names that the texts may contain, plus the newest names, in at most one round trip. `texts` yields texts, newest first. */
  async of(texts: () => readonly string[]): Promise<NamesByKind> {
    const { all } = await this.#current();
    if (all) return all.byKind;
    const words = readNameWords(texts());
    const key = words.exact.toSorted().join(' ');
    const found = this.#lookedUp.get(key) ?? this.#lookUp(words);
    if (this.#lookedUp.size >= LOOKED_UP) this.#lookedUp.clear();
    this.#lookedUp.set(key, found);
    found.catch(() => this.#lookedUp.delete(key));
    return found;
  }

  /** Returns the lower-case words that name a project or a server, in at most one query. */
  async among(words: readonly string[]): Promise<ReadonlySet<string>> {
    if (words.length === 0) return new Set();
    const { all } = await this.#current();
    if (all) {
      const known = new Set([...Object.values(all.byKind).flat(), ...all.archived]);
      return new Set(words.filter((word) => known.has(word)));
    }
    return new Set(
      await listValues<string>(this.#pool, 'names_among')`
        select name from projects where name = any (${words}) union select name from servers where name = any (${words})`,
    );
  }

  async #current(): Promise<ReadNames> {
    if (this.#read) return this.#read;
    const reading = (this.#reading ??= this.#readAll());
    try {
      const read = await reading;
      if (this.#reading === reading && read.version >= this.#newest) this.#read = read;
      return read;
    } finally {
      if (this.#reading === reading) this.#reading = null;
    }
  }

  async #readAll(): Promise<ReadNames> {
    const { rows } = await this.#pool.query<{ version: string; live: string[]; archived: string[]; servers: string[] }>(
      {
        name: 'names_read',
        text: `select version::text, ${newest('projects', 'created_at', `status <> 'archived'`)} as live,
                    ${newest('projects', 'created_at', `status = 'archived'`)} as archived,
                    ${newest('servers', 'registered_at', 'true')} as servers from names_version`,
      },
    );
    const [row] = rows;
    if (!row) throw new Error('names_version has no row');
    const { version, live, archived, servers } = row;
    const isAll = [live, archived, servers].every((list) => list.length <= NEWEST);
    return { version: BigInt(version), all: isAll ? { byKind: { project: live, server: servers }, archived } : null };
  }

  async #lookUp({ exact, bare, near }: NameWords): Promise<NamesByKind> {
    const { rows } = await this.#pool.query<{ project: string[]; server: string[] }>({
      name: 'known_names',
      text: `select ${meant('projects', `status <> 'archived'`, 'created_at')} as project,
                    ${meant('servers', 'true', 'registered_at')} as server`,
      values: [exact, bare, near],
    });
    const [row] = rows;
    return { project: row?.project ?? [], server: row?.server ?? [] };
  }
}

/** Reads one name more than the cache holds, to detect a longer list. */
const newest = (table: string, since: string, isThere: string): string =>
  `array(select name from ${table} where ${isThere} order by ${since} desc, name limit ${NEWEST + 1})`;

/** Selects names for words: $1 exact, $2 without separators, $3 mistyped or shortened. Each part uses an index. */
const meant = (table: string, isThere: string, since: string): string =>
  `array(select name from (
     (select name, ${since} from ${table} where ${isThere} order by ${since} desc limit ${NEWEST})
     union select name, ${since} from ${table} where ${isThere} and name = any ($1)
     union select name, ${since} from ${table} where ${isThere} and replace(name, '-', '') = any ($2)
     union select near.* from unnest($3::text[]) w (word) cross join lateral (
       (select name, ${since} from ${table} where ${isThere} order by name <-> w.word limit ${NEAR_PER_WORD})
       union all (select name, ${since} from ${table} where ${isThere} order by w.word <<-> name limit ${NEAR_PER_WORD})) near
      where not exists (select from ${table} where ${isThere} and name = w.word)) known
   order by ${since} desc, name)`;
