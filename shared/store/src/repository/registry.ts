import { canonicalHash } from '@signalbox/safety/cards/canonical';
import type { Pool, Queryable } from '../pool.ts';
import { findRow, hasRow, listRows, sql } from '../sql.ts';

/** The kinds of entities that the registry has. */
type EntityType = 'baseline';

export interface Entity {
  readonly entityType: EntityType;
  readonly entityId: string;
  /** Null for what belongs to no project. */
  readonly project: string | null;
  readonly data: unknown;
  /** SHA-256 of the canonical data. */
  readonly checksum: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

const COLUMNS = sql`entity_type as "entityType", entity_id as "entityId", project, data, checksum, created_at as "createdAt", updated_at as "updatedAt"`;

/** Entities with the checksums of what they hold. */
export function createRegistry(pool: Pool) {
  return {
    get: (entityType: EntityType, entityId: string): Promise<Entity | null> =>
      findRow<Entity>(pool)`
        select ${COLUMNS} from registry_entities where entity_type = ${entityType} and entity_id = ${entityId}`,

    /** Those of a project, the newest first. */
    list: (
      { entityType, project }: { readonly entityType: EntityType; readonly project: string },
      limit: number,
    ): Promise<readonly Entity[]> =>
      listRows<Entity>(pool)`
        select ${COLUMNS} from registry_entities where entity_type = ${entityType} and project = ${project}
         order by updated_at desc, entity_id limit ${limit}`,

    /** Those whose checksum does not fit what they hold: somebody changed them behind our back. */
    async broken(limit: number): Promise<readonly Entity[]> {
      const all = await listRows<Entity>(
        pool,
      )`select ${COLUMNS} from registry_entities order by entity_type, entity_id`;
      return all.filter((one) => !isWhole(one)).slice(0, limit);
    },
  };
}

type NewEntity = Pick<Entity, 'entityType' | 'entityId' | 'project' | 'data'>;

/** Writes an entity; answers whether that changed anything. */
export function putEntity(db: Queryable, { entityType, entityId, project, data }: NewEntity): Promise<boolean> {
  return hasRow(db)`
    insert into registry_entities as e (entity_type, entity_id, project, data, checksum)
      values (${entityType}, ${entityId}, ${project}, ${JSON.stringify(data)}::jsonb, ${canonicalHash(data)})
      on conflict (entity_type, entity_id) do update
        set data = excluded.data, checksum = excluded.checksum, project = excluded.project, updated_at = clock_timestamp()
      where e.checksum <> excluded.checksum`;
}

/** Whether an entity holds what its checksum says. */
export function isWhole({ data, checksum }: Pick<Entity, 'data' | 'checksum'>): boolean {
  return canonicalHash(data) === checksum;
}
