import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { readEndTime } from '@signalbox/messages/schedule/read-end';
import { readWhen } from '@signalbox/messages/schedule/read-when';
import { type DryRun, PriorContext, explainMessage } from '@signalbox/planner/explanation';
import { parseSince } from '@signalbox/worker/tools/arguments/since';
import { catalog, looks } from './questions.ts';

/* Orders by somebody who had not seen the code: their own names of tools and arguments are mapped to those of the product. */

const Value = z.union([z.string(), z.number()]);
const Order = z.object({ tool: z.string(), lang: z.string(), text: z.string(), args: z.record(z.string(), Value) });
type Order = z.infer<typeof Order>;
type Args = Readonly<Record<string, unknown>>;

const fieldsOf = new Map(
  catalog.groups.flatMap(({ tools }) =>
    tools.map(({ name, schema }) => [
      name,
      Object.keys(z.object({ properties: z.record(z.string(), z.unknown()) }).parse(schema).properties),
    ]),
  ),
);
export const story = PriorContext.parse({
  names: {
    project: ['shop', 'billing', 'todo', 'blog'],
    server: ['local'],
    environment: ['staging', 'production', 'local'],
  },
});

/** What the product calls the tools of the orders. Two tools tell of a project: one of its facts, one of its services. */
const TOOLS: Readonly<Record<string, readonly string[]>> = {
  list_projects: ['list_projects'],
  get_project_status: ['check_service_health', 'get_project_status', 'get_deploy_status'],
  get_logs: ['get_service_logs'],
  get_error_history: ['get_error_history'],
  diagnose_service: ['diagnose_service'],
  is_anything_wrong: ['is_anything_wrong'],
  list_incidents: ['list_incidents'],
  what_changed: ['what_changed'],
  list_deployments: ['list_deployments'],
  deploy_version: ['trigger_deploy'],
  rollback_release: ['rollback_deploy'],
  restart_service: ['restart_service'],
  scale_service: ['scale_service'],
  list_variables: ['list_service_variables'],
  set_variable: ['set_service_variable'],
  mute_service: ['mute_service'],
  list_servers: ['list_managed_servers'],
  who_is_on_call: ['who_is_on_call'],
  list_requests: ['get_my_requests', 'show_request'],
  list_schedules: ['list_schedules'],
  create_schedule: ['create_schedule'],
  create_reminder: ['create_schedule'],
  search_code: ['search_repository'],
  freeze_deployments: ['freeze_changes'],
  lift_freeze: ['lift_freeze'],
  help: [],
};
export const readOrders = (): readonly Order[] =>
  Order.array().parse(JSON.parse(readFileSync(new URL('./strangers-orders.json', import.meta.url), 'utf8')));

/** The tool that is called, asked about or offered first, with its arguments and the argument that is asked for. */
function readFirst({ calls, question, says }: DryRun) {
  const [call] = calls;
  if (call) return { tool: call.tool, args: call.arguments, asks: null };
  const [offered] = question?.readings ?? [];
  if (offered) return { tool: offered.tool, args: offered.args, asks: null };
  return { tool: question?.tool ?? says?.kind ?? 'nothing', args: question?.args ?? {}, asks: question?.slot ?? null };
}

/** A Wednesday noon. */
const NOW = new Date('2026-11-25T12:00:00Z');
const HOUR_MS = 3_600_000;
/** Times of the orders that the product writes otherwise. */
const asTime = (time: string): string => time.replace(/^today (?=\d)/, '').replace(/^this week$/, 'week');
/** Nobody knows how far back a weekday is without a clock, so that a whole week is shown. */
const WEEKDAY = /^(?:mon|tues|wednes|thurs|fri|satur|sun)day$/;
const hoursSince = (time: string): number => (NOW.getTime() - (parseSince(time, NOW)?.getTime() ?? NaN)) / HOUR_MS;

type Check = (
  got: { readonly tool: string; readonly args: Args; readonly asks: string | null },
  wanted: string,
) => boolean;

/** Arguments that the product names or counts otherwise, with the reason. */
const CHECKS: Readonly<Record<string, Check>> = {
  // Logs take minutes, errors words or whole hours that reach back at least as far, all others words.
  since: ({ tool, args }, wanted) => {
    const hours = hoursSince(asTime(wanted));
    if (tool === 'get_service_logs') return Number(args['minutes']) === hours * 60;
    const got = args['since'] === undefined ? Number(args['hours'] ?? 24) : hoursSince(String(args['since']));
    if (tool === 'get_error_history')
      return got >= hours && got <= Math.max(24, 2 * hours, WEEKDAY.test(wanted) ? 168 : 0);
    return args['since'] !== undefined && got === hours;
  },
  // Errors are shown until now, with their times. Whether it is eight in the morning in 9 or 20 hours, a person says.
  until: ({ tool, args, asks }, wanted) =>
    tool === 'freeze_changes'
      ? JSON.stringify(readEndTime(String(args['until']))?.when) === JSON.stringify(readEndTime(wanted)?.when)
      : tool === 'get_error_history' || (args['hours'] === undefined && asks === 'hours'),
  // A mute takes hours, and parts of them.
  duration: ({ args }, wanted) => args['hours'] === Number.parseInt(wanted, 10) / (wanted.endsWith('m') ? 60 : 1),
  query: ({ args }, wanted) => args['words'] === wanted,
  // A service runs once: the tool says so, whatever the number.
  replicas: () => true,
  when: ({ args }, wanted) => whenOf(String(args['when'])) === whenOf(asWhen(wanted, args['kind'] === 'task')),
  // The task of a schedule is the order as it was said.
  task: ({ args }, wanted) =>
    args['kind'] === 'task' &&
    (TOOLS[wanted] ?? []).includes(readFirst(explainMessage(catalog, String(args['task']), story)).tool),
  text: ({ args }, wanted) => args['kind'] === 'reminder' && holdsWords(String(args['task']), wanted),
};
/** Times of the orders in words that the product reads. A schedule repeats, a reminder comes once. */
const asWhen = (when: string, isRepeated: boolean): string =>
  when
    .replace(/^hourly$/, 'every hour')
    .replace(/^daily (?=\d)/, 'every day at ')
    .replace(/^weekdays /, 'every weekday at ')
    .replace(/^in (\d+)h$/, 'in $1 hours')
    .replace(/^in (\d+)m$/, 'in $1 minutes')
    .replace(/^(today|tomorrow) (?=\d)/, '$1 at ')
    .replace(/^(\w+day) (?=\d)/, isRepeated ? 'every $1 at ' : 'on $1 at ');
/** “At four” is today at four, while it is not yet over. */
const whenOf = (text: string): string =>
  JSON.stringify(readWhen(text)?.when)?.replace('"days":null,"weekday":null', '"days":0,"weekday":null');

/** True when the beginnings of all words are there: “freeze aufheben” is also “freeze aufzuheben”. */
function holdsWords(text: string, wanted: string): boolean {
  const beginnings = wanted
    .toLowerCase()
    .split(/[\s，。]+/u)
    .map((word) => word.slice(0, word.length > 5 ? 3 : 4));
  return beginnings.every((beginning) => text.toLowerCase().includes(beginning));
}

export function judgeOrder({ tool, lang, text, args }: Order) {
  const run = explainMessage(catalog, text, story);
  const first = readFirst(run);
  const fields = fieldsOf.get(first.tool) ?? [];
  const isHeld = ([name, value]: [string, string | number]): boolean => {
    const check = CHECKS[name];
    if (check) return check(first, String(value));
    if (first.tool === 'create_schedule') return String(first.args['task']).includes(String(value));
    // Places that the tool does not take: it shows all of them.
    return !fields.includes(name) || String(first.args[name]) === String(value);
  };
  const isTool = [...(TOOLS[tool] ?? []), ...(tool === 'help' ? ['help'] : [])].includes(first.tool);
  const failed = isTool
    ? Object.entries(args)
        .filter((arg) => !isHeld(arg))
        .map(([name]) => name)
    : ['tool'];
  const isRight = failed.length === 0;
  const changes = run.calls.filter((call) => !looks.has(call.tool) && call.tool !== 'search_knowledge');
  return {
    tool,
    lang,
    text,
    failed,
    right: isRight,
    mayChange: TOOLS[tool]?.some((name) => !looks.has(name)) ?? false,
    got: `${first.tool} ${JSON.stringify(first.args)} ${first.asks ?? ''}`,
    changes: changes.map((call) => call.tool),
  };
}
