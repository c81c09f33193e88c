import { orderForChain } from '@signalbox/analysis/reports/chain-order';
import { sayReport, type SummarySentence } from '@signalbox/analysis/reports/report';
import { toSarif } from '@signalbox/analysis/reports/sarif';
import { findUnread } from '@signalbox/contracts/repository/unread';
import type { ChainName } from '@signalbox/contracts/repository/chains';
import type { ToolContext, withFiles } from '../../tools/tool.ts';

/** The folder of generated pages. Reports of findings are not stored there: each reader gets a new one. */
const PAGES = 'var/artifacts/docs/';

export async function createDocumentFiles(
  { repositories }: Pick<ToolContext['ports'], 'repositories'>,
  { runId, project }: { readonly runId: string; readonly project: string },
): Promise<Parameters<typeof withFiles>[1]> {
  const written = await repositories.runs.documents(runId);
  return written
    .filter(({ path }) => path.startsWith(PAGES))
    .map(({ path, mimeType, bytes }) => ({
      name: `${project}-${path.slice(PAGES.length).replaceAll('/', '-')}`,
      mimeType,
      content: bytes.toString('utf8'),
    }));
}

/** The maximum findings of a report in a chat; the command line writes longer reports. */
const MAX_FINDINGS = 2_000;

export async function createReportFiles(
  { repositories }: Pick<ToolContext['ports'], 'repositories'>,
  about: {
    readonly project: string;
    readonly chain: ChainName | null;
    readonly commit: string | null;
    readonly summary?: readonly SummarySentence[];
  },
  now: Date,
): Promise<Parameters<typeof withFiles>[1]> {
  const { project, commit, summary = [] } = about;
  const open = await repositories.findings.list({ project, status: 'open' }, MAX_FINDINGS);
  const accepted = await repositories.findings.list({ project, status: 'accepted' }, MAX_FINDINGS);
  const runs = await repositories.runs.list(project, 20);
  // The findings come from all chains, so each chain says what its newest run did not read.
  const completed = runs.filter(({ status }) => status === 'completed');
  const newest = [...new Map(completed.toReversed().map((run) => [run.chain, run.runId])).values()];
  const steps = (await Promise.all(newest.map((runId) => repositories.runs.steps(runId)))).flat();
  const unread = findUnread(steps.map(({ output }) => output));
  const name = `${project}-findings-${now.toISOString().slice(0, 10)}`;
  return [
    {
      name: `${name}.md`,
      mimeType: 'text/markdown; charset=utf-8',
      content: sayReport({
        project,
        commit,
        now,
        open: orderForChain(about.chain, open),
        accepted,
        summary,
        unread,
        runs,
      }),
    },
    {
      name: `${name}.sarif`,
      mimeType: 'application/sarif+json',
      content: JSON.stringify(toSarif(project, [...open, ...accepted], unread), null, 2),
    },
  ];
}
