import type { PromptContext } from '@signalbox/contracts/governance/execution-turn';
import type { PolicySet } from '@signalbox/safety/policy/policy-set';
import { readContext, type ContextScope, type MemoryRows } from '@signalbox/store/turns/context-rows';
import type { Queryable } from '@signalbox/store/pool';
import { fitSections } from './bounds.ts';
import { createTimeFormat, type TimeFormat } from './moments.ts';
import { listContextValues, writeSections, type SectionOptions } from './sections.ts';
import { findTimedRules } from './windows.ts';

const OPENING = 'As the turn began:';

interface AssemblerParts {
  readonly db: Queryable;
  policies(): PolicySet;
  /** The installation's IANA time zone, since a person's own time zone is unknown. */
  readonly timeZone: string;
  readonly titleOf: SectionOptions['titleOf'];
}

/** The number of people whose memory is cached, at most 15 kB each. */
const PEOPLE_CACHED = 500;

interface CachedMemory {
  readonly key: string;
  readonly memory: MemoryRows;
}

/** Assembles the prompt's facts about a person in one round trip. Memory is cached until its key changes. */
export class ContextAssembler {
  readonly #parts: AssemblerParts;
  readonly #moments: TimeFormat;
  /** Cached memory by person, the least recently used first. */
  readonly #cached = new Map<string, CachedMemory>();

  constructor(parts: AssemblerParts) {
    this.#parts = parts;
    this.#moments = createTimeFormat(parts.timeZone);
  }

  async assemble(of: ContextScope): Promise<PromptContext> {
    const { db, policies, titleOf } = this.#parts;
    const cached = this.#cached.get(of.userKey) ?? null;
    const rows = await readContext(db, of, cached?.key ?? null);
    const memory = rows.memory ?? cached?.memory;
    if (!memory) throw new Error('a memory that is not cached was not read');
    this.#keep(of.userKey, { key: rows.key, memory });
    const telling = { moments: this.#moments, timed: findTimedRules(policies()), titleOf };
    const fitted = fitSections(OPENING, writeSections(rows, memory, telling));
    return { ...fitted, made: [...listContextValues(rows, memory)] };
  }

  #keep(userKey: string, entry: CachedMemory): void {
    this.#cached.delete(userKey);
    this.#cached.set(userKey, entry);
    const [oldest] = this.#cached.keys();
    if (this.#cached.size > PEOPLE_CACHED && oldest !== undefined) this.#cached.delete(oldest);
  }
}
