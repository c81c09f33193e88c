import { loadPlugins, listPluginPolicyFolders } from '@signalbox/plugins/load-plugins';
import { loadPolicySet, readPolicyFolders, type PolicySet } from '@signalbox/safety/policy/policy-set';
import { PolicySetError } from '@signalbox/safety/policy/problems';
import { listPolicyFolders } from '@signalbox/safety/policy/settings';
import { getReason } from '../../checks/finding.ts';
import { InputError, UsageError, type CommandContext, type CommandResult } from '../../command.ts';
import { formatCount, formatTable } from '../../table.ts';
import { runPolicyExplain } from './policy-explain.ts';
import { runPolicyWhatIf } from './policy-what-if.ts';

/** Checks policies, explains a decision, or compares recorded decisions with other policies. Changes nothing. */
export async function runPolicy(context: CommandContext): Promise<CommandResult> {
  const [verb, ...words] = context.arguments.words;
  if (verb === 'check' && words.length === 0) return check(context);
  if (verb === 'explain') return runPolicyExplain(context, words, await openUsableSet(context));
  if (verb === 'what-if' && words.length === 0) return runPolicyWhatIf(context, openUsableSet);
  throw new UsageError();
}

async function check(context: CommandContext): Promise<CommandResult> {
  const folder = findFolder(context);
  try {
    const { engine, rules } = await openSet(context);
    const data = {
      ok: true,
      folder,
      version: engine.version,
      rules: rules.map(({ id, reason, file, line, terms }) => ({ id, reason, file, line, terms })),
      problems: [],
    };
    const table = formatTable(
      ['rule', 'where', 'says'],
      rules.map(({ id, file, line, reason }) => [id, `${file}:${line}`, reason]),
    );
    const summary = `${formatCount(rules.length, 'rule')}; every example holds. Version ${engine.version}.`;
    return { ok: true, data, lines: [...table, '', summary] };
  } catch (error) {
    if (!(error instanceof PolicySetError)) throw error;
    const summary = `${formatCount(error.problems.length, 'problem')}: this set would be refused.`;
    const data = { ok: false, folder, version: null, rules: [], problems: error.problems };
    return { ok: false, data, lines: [...error.message.split('\n'), '', summary] };
  }
}

async function openSet(context: CommandContext): Promise<PolicySet> {
  const folder = findFolder(context);
  const plugins = listPluginPolicyFolders(await loadPlugins(context.config.AGENTS));
  const files = await readPolicyFolders(listPolicyFolders(folder, plugins)).catch((error: unknown) => {
    throw new InputError(`The policy folder ${folder} cannot be read: ${getReason(error)}`);
  });
  return loadPolicySet(files, context.config.POLICY_TIME_ZONE);
}

async function openUsableSet(context: CommandContext): Promise<PolicySet> {
  try {
    return await openSet(context);
  } catch (error) {
    if (!(error instanceof PolicySetError)) throw error;
    throw new InputError(`The policies in ${findFolder(context)} cannot be used.\n${error.message}`);
  }
}

function findFolder({ arguments: { policies }, config }: CommandContext): string {
  return policies ?? config.POLICY_DIR;
}
