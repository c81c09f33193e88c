import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseJson } from '@signalbox/contracts/system-error';
import { abortAfter, SECOND_MS } from '@signalbox/contracts/time';
import { sayDuration } from '@signalbox/messages/duration';
import { listIncidentStates } from '@signalbox/store/incidents/incident-states';
import { z } from 'zod';
import { getReason } from '../checks/finding.ts';
import { readRunningServices } from '../checks/running-services.ts';
import { runSubcommand, UsageError, type CommandContext, type CommandResult } from '../command.ts';
import { formatList } from '../table.ts';

const POST_MS = 10 * SECOND_MS;

/** Lists open incidents, or posts a sample alarm to the gateway that `npm start` runs. */
export function runIncidents(context: CommandContext): Promise<CommandResult> {
  return runSubcommand(context, { list: { words: 0, run: list }, sample: { words: 1, run: postSample } }, 'list');
}

async function list(context: CommandContext): Promise<CommandResult> {
  const incidents = await listIncidentStates(context.database(), context.arguments.limit);
  const now = Date.now();
  const rows = incidents.map(({ incidentId, kind, detail, openedAt, times, told, takenBy }) => [
    incidentId,
    kind,
    sayDuration(now - openedAt.getTime()),
    times,
    told,
    takenBy,
    detail,
  ]);
  const headings = ['ID', 'KIND', 'FOR', 'HEARD', 'TOLD', 'TAKEN BY', 'DETAIL'];
  return { ok: true, data: incidents, lines: formatList(headings, rows, 'No incident is open.') };
}

const Sources = z.array(z.object({ name: z.string(), kind: z.string().optional(), secret: z.string() }));

async function postSample(context: CommandContext, name: string): Promise<CommandResult> {
  const { config } = context;
  const { status = 'firing', project } = context.arguments;
  let told = 0;
  if (status !== 'firing' && status !== 'resolved') throw new UsageError('--status is firing or resolved.');
  const file = config.INGRESS_SOURCES_FILE ?? join(config.SIGNALBOX_DATA_DIR, 'sources.json');
  const sources = Sources.safeParse(parseJson(await readFile(file, 'utf8').catch(() => '')));
  const source = sources.data?.find((one) => one.name === name);
  const hooksUrl = (await readRunningServices(config.runFile))?.hooksUrl ?? null;
  if (source?.kind !== 'alertmanager') return fail(`${file} names no source ${name} of the kind alertmanager.`);
  if (hooksUrl === null)
    return fail('No gateway with the channel ingress runs here. Start Signalbox first: `npm start`.');
  try {
    const response = await fetch(`${hooksUrl}${name}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${source.secret}` },
      body: JSON.stringify(createSample(status, project, new Date())),
      signal: abortAfter(POST_MS),
    });
    const body = await response.text();
    if (!response.ok) return fail(`The gateway answered ${response.status}: ${body.slice(0, 300)}`);
    told = Told.parse(parseJson(body)).told;
  } catch (error) {
    return fail(`The gateway at ${hooksUrl} does not answer: ${getReason(error)}`);
  }
  return {
    ok: true,
    data: { posted: status, told },
    lines: [`Posted a sample to ${hooksUrl}${name}. ${sayNext(status, told)}`],
  };
}

function sayNext(status: 'firing' | 'resolved', notified: number): string {
  if (status === 'resolved') return 'Whoever was told is told that it is over.';
  const who =
    notified > 0
      ? 'Whoever is on call is told of it, else an admin who has written to the bot.'
      : 'Nobody is told anew: it is open already, or nobody can be reached.';
  return `${who} \`--status resolved\` ends it.`;
}

function fail(problem: string): CommandResult {
  return { ok: false, data: { error: problem }, lines: [problem] };
}

/** How many people the gateway told; a gateway of an earlier release does not say. */
const Told = z.object({ told: z.number().catch(1) });

/** A body as Alertmanager sends it. */
function createSample(status: 'firing' | 'resolved', project: string | undefined, now: Date): object {
  const labels = { alertname: 'SampleAlarm', severity: 'warning', ...(project === undefined ? {} : { project }) };
  const alert = {
    status,
    labels,
    annotations: { summary: 'This is a sample. Nothing is broken.' },
    startsAt: now.toISOString(),
    endsAt: status === 'firing' ? '0001-01-01T00:00:00Z' : now.toISOString(),
    generatorURL: 'http://127.0.0.1:9090/graph',
    fingerprint: 'signalbox-sample',
  };
  return { version: '4', status, receiver: 'signalbox', groupKey: '{}:{}', commonLabels: labels, alerts: [alert] };
}
