import { say } from '@signalbox/messages/say';
import type { SoakField } from './field.ts';
import type { Pagers } from './paging.ts';
import type { Voice } from './voices/voice.ts';

/** Collects what is wrong by kind. */
export type Report = (what: string, example: unknown) => void;

interface IncidentRow {
  readonly project: string | null;
  /** Whose program it is; null for a server. */
  readonly owner: string | null;
  readonly told: string | null;
  readonly isWaiting: boolean;
  readonly isOver: boolean;
}

/** Whoever is responsible for what broke has read of it, once, and of its end, once. */
export async function checkPaged(
  { pool }: SoakField,
  voices: readonly Voice[],
  { owner, unnoticed }: Pagers,
  report: Report,
): Promise<void> {
  for (const what of unnoticed) report('what broke was not noticed', what);
  const { rows } = await pool.query<IncidentRow>(
    `select i.*, p.name as project, p.owner, i.news is not null as "isWaiting", i.closed_at is not null as "isOver"
       from incidents i left join projects p on i.subject = 'service:' || p.name || '/staging' order by i.incident_id`,
  );
  for (const row of rows) {
    if (row.told === null || row.isWaiting) report('nobody was told of an incident', row);
    else if (row.owner !== null && row.told !== row.owner) report('somebody else was told of an incident', row);
    if (!row.isOver) report('an incident has not ended', row);
  }
  const { rows: revivals } = await pool.query<{ project: string; owner: string }>(
    `select p.name as project, p.owner from runs r join projects p on p.name = r.payload ->> 'project'
      where r.job = 'service.revive' and r.result ->> 'outcome' = 'revived'`,
  );
  const news = [
    ...rows.flatMap(({ project, owner: person }) =>
      person === null
        ? []
        : [`⚠️ ${project} in staging is `, `✅ ${project} in staging is well again`].map((line) => ({ person, line })),
    ),
    ...revivals.map(({ project, owner: person }) => ({ person, line: `✅ ${project} in staging came back by itself` })),
  ];
  const expected = new Map<string, { person: string; line: string; times: number }>();
  for (const { person, line } of news)
    expected.set(line, { person, line, times: (expected.get(line)?.times ?? 0) + 1 });
  for (const { person, line, times } of expected.values()) {
    const texts = (await [...voices, owner].find(({ userKey }) => userKey === person)?.hear('')) ?? [];
    const heard = texts.filter((text) => text.includes(line) && !text.startsWith(say('gateway.repeated'))).length;
    if (heard !== times)
      report(`who is responsible has read ${heard} times what happened ${times} times`, {
        line,
        rows,
        texts: texts.slice(-30),
      });
  }
}
