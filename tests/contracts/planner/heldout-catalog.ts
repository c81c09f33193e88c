import { z } from 'zod';
import { Environment, ProjectName } from '@signalbox/contracts/conversation/fields';
import type { CatalogGroup, CatalogTool } from '@signalbox/contracts/tool-catalog';

const Version = z.string().trim().min(1).max(80);

const AnyEnvironment = Environment.optional()
  .describe('Only this environment; any when left out')
  .meta({ entity: 'environment', ask: 'In which environment?' });

/**
 * Two groups as the author of a capability would describe them to the planner before it was ever tried on them. Their hints
 * are few and plain on purpose: the held-out requests measure what is understood without a hint that looks like them.
 */
export const OPS_GROUPS: readonly CatalogGroup[] = [
  group('deploy', 'Deploy projects: check readiness, trigger, follow, cancel and roll back deploys.', [
    describeTool('check_deploy_readiness', {
      describe: 'Check whether a project can be deployed to an environment now, and name what is missing.',
      hints: ['is shop ready to deploy to production', 'check the deploy readiness of blog for staging'],
      input: { project: ProjectName, environment: Environment },
    }),
    describeTool('trigger_deploy', {
      describe: 'Deploy a version of a project to an environment.',
      hints: ['deploy version 1.2.0 of shop to staging', 'deploy blog to production', 'start a deploy'],
      input: {
        project: ProjectName,
        version: Version.describe('Version to deploy, such as 1.2.0, a tag or a branch').meta({
          ask: 'Which version shall I deploy?',
        }),
        environment: Environment,
      },
    }),
    describeTool('get_deploy_status', {
      describe: 'Show the latest deploy of a project: its version, who started it, its progress, and what runs now.',
      hints: ['status of the deploy of shop', 'which version of blog is deployed', 'is the deploy finished'],
      input: { project: ProjectName, environment: AnyEnvironment },
    }),
    describeTool('get_deploy_logs', {
      describe: 'Show the output of the latest deploy of a project.',
      hints: ['show the deploy logs of shop', 'deploy output of blog in staging'],
      input: {
        project: ProjectName,
        environment: AnyEnvironment,
        lines: z.coerce
          .number()
          .int()
          .min(1)
          .max(1_000)
          .default(50)
          .describe('How many of the last lines, 50 unless said otherwise')
          .meta({ ask: 'How many lines?' }),
      },
    }),
    describeTool('cancel_deploy', {
      describe: 'Cancel the deploy of a project that is running now.',
      hints: ['cancel the deploy of shop', 'stop the deploy'],
      input: { project: ProjectName, environment: AnyEnvironment },
    }),
    describeTool('rollback_deploy', {
      describe: 'Put an environment of a project back to an earlier version, the one before unless a version is named.',
      hints: ['roll back shop in production', 'roll blog back to version 1.1.0 in staging', 'undo the last deploy'],
      input: {
        project: ProjectName,
        environment: Environment,
        to_version: Version.optional()
          .describe('Version to go back to; the one before when left out')
          .meta({ ask: 'Back to which version?' }),
      },
    }),
  ]),
  group('diagnose', 'Find out what is wrong: read the logs of services, check health, list errors, retry nodes.', [
    describeTool('get_service_logs', {
      describe: 'Show what the running service of a project has logged.',
      hints: ['show the logs of shop', 'service logs of blog in production', 'logs of the last 10 minutes'],
      input: {
        project: ProjectName,
        environment: AnyEnvironment,
        since_minutes: z.coerce
          .number()
          .int()
          .min(1)
          .max(10_080)
          .optional()
          .describe('Only the last so many minutes')
          .meta({ ask: 'Of how many minutes?' }),
        filter: z
          .string()
          .trim()
          .min(1)
          .max(200)
          .optional()
          .describe('Only lines that contain this text')
          .meta({ ask: 'Which text shall the lines contain?' }),
      },
    }),
    describeTool('check_service_health', {
      describe: 'Check whether the service of a project is running and answers.',
      hints: ['is shop healthy', 'check the health of blog in production'],
      input: { project: ProjectName, environment: AnyEnvironment },
    }),
    describeTool('get_error_history', {
      describe: 'List the errors that a project had, with time and count.',
      hints: ['which errors did shop have', 'error history of blog for the last 24 hours'],
      input: {
        project: ProjectName,
        since_hours: z.coerce
          .number()
          .int()
          .min(1)
          .max(8_760)
          .optional()
          .describe('Only the last so many hours')
          .meta({ ask: 'Of how many hours?' }),
      },
    }),
    describeTool('retry_failed_node', {
      describe: 'Run a failed node of the graph of a thread again.',
      hints: ['retry the failed node intent_parser of thread user_1001_3', 'run the node again'],
      input: {
        thread_id: z
          .string()
          .trim()
          .regex(/^user_[\w-]+_\d+$/, 'a thread is named like user_1001_3')
          .describe('The thread, such as user_1001_3')
          .meta({ ask: 'In which thread?' }),
        node: z.string().trim().min(1).max(80).describe('Name of the node').meta({ ask: 'Which node?' }),
      },
    }),
  ]),
];

function group(name: string, summary: string, tools: readonly CatalogTool[]): CatalogGroup {
  return { name, summary, installed: true, tools };
}

/** In the same shape in which the worker's registry describes its tools. */
function describeTool(
  name: string,
  tool: { readonly describe: string; readonly hints: readonly string[]; readonly input: z.ZodRawShape },
): CatalogTool {
  const { describe, hints, input } = tool;
  return { name, describe, hints, schema: { ...z.toJSONSchema(z.object(input), { io: 'input', target: 'draft-7' }) } };
}
