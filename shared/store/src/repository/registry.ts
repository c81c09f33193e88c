import { hashCanonical } from '@signalbox/safety/cards/canonical';
import type { Pool, Queryable } from '../pool.ts';
import { findRow, hasRow, listRows, sql } from '../sql.ts';

type EntityType = 'baseline';

export interface RegistryEntity {
  readonly entityType: EntityType;
  readonly entityId: string;
  /** Project of the entity; null when it has none. */
  readonly project: string | null;
  readonly data: unknown;
  /** SHA-256 of the entity's canonical data. */
  readonly checksum: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

const COLUMNS = sql`entity_type as "entityType", entity_id as "entityId", project, data, checksum, created_at as "createdAt", updated_at as "updatedAt"`;

/** Creates access to registry entities, which carry a checksum of their data. */
export function createRegistryStore(pool: Pool) {
  return {
    get: (entityType: EntityType, entityId: string): Promise<RegistryEntity | null> =>
      findRow<RegistryEntity>(pool)`
        select ${COLUMNS} from registry_entities where entity_type = ${entityType} and entity_id = ${entityId}`,

    /** Lists the entities of a project, newest first. */
    list: (
      { entityType, project }: { readonly entityType: EntityType; readonly project: string },
      limit: number,
    ): Promise<readonly RegistryEntity[]> =>
      listRows<RegistryEntity>(pool)`
        select ${COLUMNS} from registry_entities where entity_type = ${entityType} and project = ${project}
         order by updated_at desc, entity_id limit ${limit}`,

    /** Lists entities whose data does not match their checksum, because it was changed outside of the product. */
    async broken(limit: number): Promise<readonly RegistryEntity[]> {
      const all = await listRows<RegistryEntity>(pool)`
        select ${COLUMNS} from registry_entities order by entity_type, entity_id`;
      return all.filter((one) => !matchesChecksum(one)).slice(0, limit);
    },
  };
}

type NewEntity = Pick<RegistryEntity, 'entityType' | 'entityId' | 'project' | 'data'>;

/** Writes an entity. True when the row changed. */
export function putEntity(db: Queryable, { entityType, entityId, project, data }: NewEntity): Promise<boolean> {
  return hasRow(db)`
    insert into registry_entities as e (entity_type, entity_id, project, data, checksum)
      values (${entityType}, ${entityId}, ${project}, ${JSON.stringify(data)}::jsonb, ${hashCanonical(data)})
      on conflict (entity_type, entity_id) do update
        set data = excluded.data, checksum = excluded.checksum, project = excluded.project, updated_at = clock_timestamp()
      where e.checksum <> excluded.checksum`;
}

export function matchesChecksum({ data, checksum }: Pick<RegistryEntity, 'data' | 'checksum'>): boolean {
  return hashCanonical(data) === checksum;
}
