import type { Queryable } from '@signalbox/store/pool';

/** Whom clients offered the commands of admins when the menu was registered last, so that it can be taken from those who went. */
export async function readMenuAdmins(db: Queryable, place: string): Promise<readonly string[]> {
  const { rows } = await db.query<{ value: string[] }>('select value from settings where key = $1', [keyOf(place)]);
  return rows[0]?.value ?? [];
}

/** Remembers it. */
export async function writeMenuAdmins(db: Queryable, place: string, userKeys: readonly string[]): Promise<void> {
  await db.query(
    `insert into settings (key, value) values ($1, $2::jsonb)
     on conflict (key) do update set value = excluded.value, updated_at = now() where settings.value <> excluded.value`,
    [keyOf(place), JSON.stringify(userKeys)],
  );
}

function keyOf(place: string): string {
  return `menu_admins:${place}`;
}
