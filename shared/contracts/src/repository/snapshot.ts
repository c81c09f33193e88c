import { z } from 'zod';

const Row = z.record(z.string(), z.json());

/** A saved state of a project's repository data, as rows of the database tables. */
export const SnapshotContent = z.object({
  format: z.literal(1),
  project: z.string(),
  findings: z.array(Row),
  entities: z.array(Row.and(z.object({ data: z.json(), checksum: z.string() }))),
});
