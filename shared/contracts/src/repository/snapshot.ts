import { z } from 'zod';

const Row = z.record(z.string(), z.json());

/** A saved state of what is known and decided about the repository of a project: rows as their tables have them. */
export const SnapshotContent = z.object({
  format: z.literal(1),
  project: z.string(),
  findings: z.array(Row),
  entities: z.array(Row.and(z.object({ data: z.json(), checksum: z.string() }))),
});
