import { AppError } from '@signalbox/contracts/errors';
import { openEmbedder } from '@signalbox/models/embeddings/settings';
import { createLog } from '@signalbox/platform/log';
import { loadPlugins, listPluginPolicyFolders } from '@signalbox/plugins/load-plugins';
import { redactValue } from '@signalbox/safety/redact/redact';
import { loadPolicySet, readPolicyFolders } from '@signalbox/safety/policy/policy-set';
import { listPolicyFolders } from '@signalbox/safety/policy/settings';
import { findUser } from '@signalbox/store/people/users';
import { searchAs, type SearchPerson } from '@signalbox/worker/search-as';
import { UsageError, type CommandContext, type CommandResult } from '../command.ts';

const SCOPES = ['docs', 'code', 'history', 'logs', 'all'] as const;
/** More hits than this are rarely read; `--limit` asks for fewer. */
const MAX_HITS = 20;

/** Searches documentation, code, history and logs, with the rights of `--person`, else of the owner. Changes nothing. */
export async function runSearch(context: CommandContext): Promise<CommandResult> {
  const { words, scope: asked = 'all', project, ref, person, limit } = context.arguments;
  const scope = SCOPES.find((name) => name === asked);
  const query = words.join(' ').trim();
  if (query === '') throw new UsageError();
  if (scope === undefined) throw new UsageError(`--scope is one of ${SCOPES.join(', ')}, not '${asked}'.`);
  const plugins = context.config.AGENTS;
  const folders = listPolicyFolders(context.config.POLICY_DIR, listPluginPolicyFolders(await loadPlugins(plugins)));
  const { engine } = await loadPolicySet(await readPolicyFolders(folders), context.config.POLICY_TIME_ZONE);
  const pool = context.database();
  const ways = new Set<string>();
  const who = person === undefined ? null : await findPerson(context, person);
  const found = await searchAs(
    {
      pool,
      policy: engine,
      plugins,
      embedder: openEmbedder(context.config),
      log: createLog('cli', 'silent'), // Notes say it, and the output stays one document.
      note: (way) => ways.add(way),
    },
    who,
    { query: query.slice(0, 500), scope, project, ref },
    Math.min(limit, MAX_HITS),
  );
  const { hits, unavailable, refused, refs } = redactValue(found);
  const data = { hits: hits.map((hit) => ({ ...hit, isOwn: undefined })), unavailable, refused, refs };
  const notes = [
    ...(ways.has('failed') || ways.has('unready') ? ['Searched by words alone; `doctor` says why.'] : []),
    ...(unavailable.length > 0 ? [`Not indexed: ${unavailable.join(', ')}.`] : []),
    ...(refused.length > 0 ? [`${person ?? 'They'} may not read: ${refused.join(', ')}.`] : []),
    ...(refs.length > 0 ? [`Searched refs: ${refs.join(', ')}.`] : []),
  ];
  const lines = hits.flatMap(({ scope: of, source, excerpt }) => [
    `${of}  ${source}`,
    ...excerpt.split('\n').map((line) => `    ${line}`),
    '',
  ]);
  return { ok: true, data, lines: [...(lines.length > 0 ? lines : ['Nothing was found.', '']), ...notes] };
}

async function findPerson(context: CommandContext, userKey: string): Promise<SearchPerson> {
  const person = await findUser(context.database(), userKey);
  if (person) return { userKey, name: person.name, role: person.role };
  throw new AppError('NOT_FOUND', { kind: 'person', name: userKey, known: 'see `people list`' });
}
