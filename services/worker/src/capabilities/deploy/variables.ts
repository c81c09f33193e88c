import { z } from 'zod';
import { formatServiceName, type ServiceKey } from '@signalbox/contracts/operations/deploy';
import { Environment, ProjectName } from '@signalbox/contracts/conversation/fields';
import { AppError } from '@signalbox/contracts/errors';
import { escapeLines, formatCode } from '@signalbox/messages/format-code';
import { say } from '@signalbox/messages/say';
import { listMadeValues } from '../../tools/origins.ts';
import { CHANGE_DEFAULTS, LOOK_UP_DEFAULTS, tool, type ToolContext } from '../../tools/tool.ts';
import { SERVICE_SCOPE, getEnvironmentRisk } from './fields.ts';
import { classifyVariable } from './loader-variables.ts';

const Name = z
  .string()
  .trim()
  .regex(
    /^[A-Za-z_][A-Za-z0-9_]{0,99}$/,
    'a variable is named with letters, digits and underscores, such as LOG_LEVEL',
  );

/** A secret's handle (docs/secrets.md). */
const HANDLE = /^secret:[a-z0-9][a-z0-9._-]{0,73}$/i;
/**
 * Matches handles that the gateway made from a message: they end with a mark of the value, and expire after a day. A mark nearly
 * always has a digit; names that people give, such as db-password, have none.
 */
const PASSING = /-(?=[a-z]*\d)[0-9a-hjkmnp-tv-z]{8}$/;

export const setServiceVariable = tool({
  describe:
    'Set an environment variable of a service, for its next deployment: a value, or a handle that stands for a secret.',
  hints: [
    'set LOG_LEVEL to debug for shop in staging',
    'set the variable GREETING of shop in staging to hello',
    'set the environment variable DATABASE_URL of blog in production',
    'change the variable LOG_LEVEL of shop in production',
    'env var for shop in staging',
    'use secret:db-password as DB_PASSWORD of shop in staging',
  ],
  input: z.object({
    project: ProjectName,
    environment: Environment,
    name: Name.describe('Name of the variable, such as LOG_LEVEL').meta({ ask: 'Which variable?' }),
    value: z
      .string()
      .max(4_000)
      .describe('Its value, or a handle such as secret:db-password')
      .meta({ entity: 'text', ask: 'What should its value be?' }),
  }),
  risk: (given) => {
    const kind = classifyVariable(given.name);
    if (kind === null) return getEnvironmentRisk(given);
    const reason = kind === 'known' ? say('deploy.changesCode') : say('deploy.mayChangeCode', { name: given.name });
    return { risk: 'dangerous', reasons: [reason] };
  },
  handles: ['value'],
  role: 'developer',
  egress: true,
  ...SERVICE_SCOPE,
  // Policy refuses known loader variables by this resource (variables.cedar).
  resources: (given) => [
    ...SERVICE_SCOPE.resources(given),
    ...(classifyVariable(given.name) === 'known' ? ['variable:loader'] : []),
  ],
  deadlineMs: 5_000,
  replay: 'harmless',
  told: ['project', 'environment', 'name'],
  preview: async ({ project, environment, name, value }, { ports }) => {
    const known = await ports.services.variables({ project, environment });
    const before = known.find((variable) => variable.name === name);
    const isSet = before !== undefined;
    const was = shown(before?.secret ?? before?.value ?? '');
    return {
      what: say('deploy.setVariable', { name, project, environment }),
      change: say('deploy.variableChange', { isSet, was, value: shown(value) }),
      reach: say('deploy.variableReach', { project, environment }),
      undo: say('deploy.variableUndo', { isSet, name }),
    };
  },
  run: async ({ project, environment, name, value }, { ports, actor, actionId }) => {
    await ports.projects.get(project);
    const isHandle = HANDLE.test(value);
    if (!isHandle && /secret:/i.test(value)) throw new AppError('SECRET_NOT_WHOLE', { name });
    const variable = { name, value: isHandle ? null : value, secret: isHandle ? value : null, givenBy: actor.userKey };
    await ports.services.setVariable({ project, environment }, variable, actionId);
    return { project, environment, name, value, isHandle };
  },
  probe: async ({ project, environment, name, value }, { wrote }) =>
    (await wrote())
      ? { kind: 'done', output: { project, environment, name, value, isHandle: HANDLE.test(value) } }
      : { kind: 'not-done' },
  alters: altersVariable,
  phrases: {
    order: ({ project, environment, name, value }) =>
      say('deploy.variableOrder', { project, environment, name, value: escapeLines(value) }),
    done: ({ project, environment, name, value, isHandle }) => {
      const isPassing = isHandle && PASSING.test(value);
      return say('deploy.variableSet', {
        project,
        environment,
        name: formatCode(name),
        value: shown(value),
        isPassing,
      });
    },
  },
}).from({ project: 'name', environment: 'runtime', name: 'name', value: 'outside', isHandle: 'runtime' });

export const removeServiceVariable = tool({
  describe: 'Remove an environment variable of a service, from its next deployment on.',
  hints: [
    'remove the variable LOG_LEVEL of shop in staging',
    'unset LOG_LEVEL of shop in staging',
    'delete the environment variable DATABASE_URL of blog in production',
    'drop the variable GREETING from shop in staging',
    'shop no longer needs LOG_LEVEL in production',
    'take the secret DB_PASSWORD away from shop in staging',
  ],
  input: z.object({
    project: ProjectName,
    environment: Environment,
    name: Name.describe('Name of the variable, such as LOG_LEVEL').meta({ ask: 'Which variable?' }),
  }),
  ...CHANGE_DEFAULTS,
  risk: getEnvironmentRisk,
  ...SERVICE_SCOPE,
  deadlineMs: 5_000,
  told: ['project', 'environment', 'name'],
  preview: async (given, { ports }) => {
    const { project, environment, name } = given;
    const before = await requireVariable(ports, given);
    const was = shown(before.secret ?? before.value ?? '');
    return {
      what: say('deploy.removeVariable', { name, project, environment }),
      change: say('deploy.removeVariableChange', { was }),
      reach: say('deploy.variableReach', { project, environment }),
      undo: say('deploy.variableUndo', { isSet: true, name }),
    };
  },
  run: async (given, { ports, actionId, wrote }) => {
    const { project, environment, name } = given;
    const removed = await ports.services.removeVariable({ project, environment }, name, actionId);
    if (removed === null && !(await wrote())) await requireVariable(ports, given);
    return { project, environment, name };
  },
  probe: async ({ project, environment, name }, { wrote }) =>
    (await wrote()) ? { kind: 'done', output: { project, environment, name } } : { kind: 'not-done' },
  alters: altersVariable,
  phrases: {
    order: ({ project, environment, name }) => say('deploy.removeVariable', { name, project, environment }),
    done: ({ project, environment, name }) =>
      say('deploy.variableRemoved', { name: formatCode(name), project, environment }),
  },
}).from({ project: 'name', environment: 'runtime', name: 'name' });

export const listServiceVariables = tool({
  describe: 'List the environment variables of a service. Secrets are named and never shown.',
  hints: [
    'list the variables of shop in staging',
    'which environment variables does blog have in production',
    'show the env vars of shop in staging',
    'environment variables of shop',
    'variables of shop',
    'what variables are set for shop in production',
    'list service variables',
  ],
  input: z.object({ project: ProjectName, environment: Environment }),
  ...LOOK_UP_DEFAULTS,
  role: 'developer',
  run: async ({ project, environment }, { ports }) => {
    await ports.projects.get(project);
    const found = await ports.services.variables({ project, environment });
    return {
      variables: found.map(({ name, value, secret }) => ({
        name,
        value: secret ?? value ?? '',
        isHandle: secret !== null,
      })),
    };
  },
  phrases: {
    done: ({ variables }, { project, environment }) =>
      variables.length === 0
        ? say('deploy.noVariables', { project, environment })
        : variables.map(({ name, value }) => `- ${formatCode(name)}: ${shown(value)}`).join('\n'),
  },
}).from({ variables: { name: 'name', value: 'outside', isHandle: 'runtime' } });

/** A deployment of the same service resolves its variables. */
function altersVariable(
  { name, ...service }: ServiceKey & { readonly name: string },
  resources: readonly string[],
): readonly string[] {
  return resources.includes(`service:${formatServiceName(service)}`) ? [`variables.${name}`] : [];
}

/** Throws NOT_FOUND (project, variable). */
async function requireVariable(
  ports: ToolContext['ports'],
  { project, environment, name }: ServiceKey & { readonly name: string },
) {
  await ports.projects.get(project);
  const known = await ports.services.variables({ project, environment });
  const found = known.find((variable) => variable.name === name);
  if (found) return found;
  const names = known.map((variable) => variable.name);
  const kind = say('deploy.variableOf', { project, environment });
  const offers = listMadeValues(names, 'name', new Set(), { field: 'name' });
  throw new AppError('NOT_FOUND', { kind, name, known: names.join(', ') || 'none' }, undefined, offers);
}

function shown(value: string): string {
  if (HANDLE.test(value)) return say('deploy.variableSecret', { handle: formatCode(value) });
  return value === ''
    ? say('deploy.variableEmpty')
    : formatCode(escapeLines(value.length <= 200 ? value : `${value.slice(0, 200)}…`));
}
