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
  /** It may have been told by now, and may have ended. */
  readonly isLate: boolean;
}

/** Whoever is responsible for what broke before `until`, a moment of the database, has read of it, once, and of its end, once. */
export async function checkPaged(
  { pool }: SoakField,
  voices: readonly Voice[],
  { owner, unnoticed }: Pagers,
  until: string,
  report: Report,
): Promise<void> {
  for (const what of unnoticed) report('what broke was not noticed', what);
  const { rows } = await pool.query<IncidentRow>(
    `select i.*, p.name as project, p.owner, i.news is not null as "isWaiting", i.closed_at is not null as "isOver",
       i.opened_at >= $1 as "isLate"
       from incidents i left join projects p on i.subject = 'service:' || p.name || '/staging' order by i.incident_id`,
    [until],
  );
  for (const row of rows.filter(({ isLate }) => !isLate)) {
    if (row.told === null || row.isWaiting) report('nobody was told of an incident', row);
    else if (row.owner !== null && row.told !== row.owner) report('somebody else was told of an incident', row);
    if (!row.isOver) report('an incident has not ended', row);
  }
  const { rows: revivals } = await pool.query<{ project: string; owner: string }>(
    `select p.name as project, p.owner from runs r join projects p on p.name = r.payload ->> 'project'
      where r.job = 'service.revive' and r.result ->> 'outcome' = 'revived'`,
  );
  const news = [
    ...rows.flatMap(({ project, owner: person, isLate }) =>
      person === null
        ? []
        : [`⚠️ ${project} in staging is `, `✅ ${project} in staging is healthy again`].map((line) => ({
            person,
            line,
            isLate,
          })),
    ),
    ...revivals.map(({ project, owner: person }) => ({
      person,
      line: `✅ ${project} in staging has recovered`,
      isLate: false,
    })),
  ];
  const expected = new Map<string, { person: string; line: string; times: number; late: number }>();
  for (const { person, line, isLate } of news) {
    const { times, late } = expected.get(line) ?? { times: 0, late: 0 };
    expected.set(line, { person, line, times: times + 1, late: late + (isLate ? 1 : 0) });
  }
  for (const { person, line, times, late } of expected.values()) {
    const texts = (await [...voices, owner].find(({ userKey }) => userKey === person)?.hear('')) ?? [];
    const heard = texts.filter((text) => text.includes(line) && !text.startsWith(say('gateway.repeated'))).length;
    if (heard > times || heard < times - late)
      report(`who is responsible has read ${heard} times what happened ${times} times`, {
        line,
        rows,
        texts: texts.slice(-30),
      });
  }
}
