import { readFileSync } from 'node:fs';
import { PriorContext, explainMessage } from '@signalbox/planner/explanation';
import { createRegistry, loadCapabilities } from '@signalbox/worker/tools/registry';
import { expect, it } from 'vitest';

// What the documents tell people to say leads where they say that it does, with the tools that are installed and without a model.

const { catalog } = createRegistry(await loadCapabilities());
const KEY = 'SHA256:AbCdEfGhIjKlMnOpQrStUvWxYz0123456789abcdefg';

/** Sentences of a page, each with the tool that it has to lead to, and the values that have to arrive there. */
const SAID: Readonly<Record<string, Readonly<Record<string, readonly [tool: string, args: Record<string, unknown>]>>>> =
  {
    deploy: {
      'is shop 1.4.2 ready for production?': ['check_deploy_readiness', { project: 'shop', version: '1.4.2' }],
      'deploy shop 1.4.2 to staging': ['trigger_deploy', { project: 'shop', version: '1.4.2', environment: 'staging' }],
      'how is the deploy going?': ['get_deploy_status', {}],
      'show the deploy logs': ['get_deploy_logs', {}],
      'cancel the deploy': ['cancel_deploy', {}],
      'roll back shop in production': ['rollback_deploy', { project: 'shop', environment: 'production' }],
      'stop shop in staging': ['stop_service', { project: 'shop', environment: 'staging' }],
      'what runs on staging': ['list_services', { environment: 'staging' }],
      'list the deployments of shop': ['list_deployments', { project: 'shop' }],
      'set LOG_LEVEL of shop in staging to info': ['set_service_variable', { name: 'LOG_LEVEL', value: 'info' }],
      'remove the variable LOG_LEVEL of shop in staging': ['remove_service_variable', { project: 'shop' }],
      'list the tags of the shop repository': ['read_repository', { project: 'shop' }],
      'is shop ready to deploy to production?': [
        'check_deploy_readiness',
        { project: 'shop', environment: 'production' },
      ],
      'roll shop back to 1.3.0 in staging': ['rollback_deploy', { to_version: '1.3.0' }],
      'create project todo with repository /srv/repositories/todo': [
        'create_project_intent',
        { name: 'todo', repository: '/srv/repositories/todo' },
      ],
      'create project todo with repository ./todo': ['create_project_intent', { name: 'todo', repository: './todo' }],
      'use secret:shop-token for the repository of shop': ['update_project', { repositoryLogin: 'secret:shop-token' }],
      'ship main of todo to staging': ['trigger_deploy', { version: 'main', environment: 'staging' }],
    },
    'signalbox-json': {
      'list the variables of shop in staging': ['list_service_variables', { project: 'shop', environment: 'staging' }],
      'use secret:db-password as DB_PASSWORD of shop in staging': [
        'set_service_variable',
        { name: 'DB_PASSWORD', value: 'secret:db-password' },
      ],
    },
    drivers: {
      'trust the host key SHA256:… of vps-1': ['trust_host_key', { server: 'vps-1', fingerprint: KEY }],
      'inspect the server vps-1': ['inspect_server', { server: 'vps-1' }],
      'register the server vps-1, host 203.0.113.7, for staging, driver ssh, user deploy, key secret:vps-key': [
        'register_server',
        { host: '203.0.113.7', environment: 'staging', driver: 'ssh', user: 'deploy', key: 'secret:vps-key' },
      ],
    },
    diagnose: {
      'why is shop slow?': ['diagnose_service', { project: 'shop' }],
      'diagnose shop in staging': ['diagnose_service', { project: 'shop', environment: 'staging' }],
      'is shop healthy': ['check_service_health', { project: 'shop' }],
      'show the logs of shop on staging': ['get_service_logs', { project: 'shop', environment: 'staging' }],
      'run df -h on local': ['run_diagnostic', { command: 'df -h', server: 'local' }],
      'mute shop in staging for 2 hours': ['mute_service', { project: 'shop', environment: 'staging', hours: 2 }],
      'node logs of thread user_1002_3': ['get_node_logs', { thread: 'user_1002_3' }],
      'retry the failed node of user_1002_3': ['retry_failed_node', { thread: 'user_1002_3' }],
      'retry the failed step': ['retry_failed_node', {}],
      'what became of my request': ['get_my_requests', {}],
    },
  };

const cases = Object.entries(SAID).flatMap(([page, said]) =>
  Object.entries(said).map(([sentence, expected]) => ({ page, sentence, expected })),
);

it.each(cases)(
  '$page.md: “$sentence” calls the tool that the page promises',
  ({ page, sentence, expected: [tool, args] }) => {
    const text = readFileSync(new URL(`../../docs/${page}.md`, import.meta.url), 'utf8').replace(/\s+/g, ' ');
    expect(text).toContain(sentence);
    // What a sentence makes is not known yet; what it speaks of is.
    const names = { project: sentence.includes(' of todo ') ? ['todo'] : ['shop'], server: ['local'] };
    if (!sentence.startsWith('register')) names.server.push('vps-1');
    const { calls, question } = explainMessage(
      catalog,
      sentence.replace('SHA256:…', KEY),
      PriorContext.parse({ names }),
    );
    expect(calls[0]?.tool ?? question?.tool).toBe(tool);
    expect(calls[0]?.arguments ?? question?.args).toMatchObject(args);
  },
);
