import { createHash } from 'node:crypto';
import { getTextForm, splitFile } from '@signalbox/jobs/knowledge/code-passages';
import { createCodeStore } from '@signalbox/jobs/knowledge/code-store';
import type { Pool } from '@signalbox/store/pool';

/** Makes files of a project's main branch searchable, as the job that indexes code does. The project is registered when it is new. */
export async function plantCode(pool: Pool, project: string, files: Readonly<Record<string, string>>): Promise<void> {
  await pool.query(
    `insert into projects (name, description, owner, action_id) values ($1, '', '1001', $2) on conflict (name) do nothing`,
    [project, `act_planted_${project}`],
  );
  const store = createCodeStore(pool);
  const hash = (text: string): string => createHash('sha1').update(text).digest('hex');
  const texts = Object.entries(files).map(([path, text]) => ({
    path,
    blob: hash(text),
    ...getTextForm(path),
    ...splitFile(path, text),
  }));
  await store.add(texts);
  const commit = { commit: hash(JSON.stringify(files)), names: ['main'], isMain: true };
  const counts = { files: texts.length, indexed: texts.length, left: {} };
  await store.attach(
    project,
    commit,
    counts,
    texts.map((text) => ({ ...text, weight: 1 })),
  );
}
