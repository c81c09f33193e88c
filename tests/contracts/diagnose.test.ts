import { createConversation } from './planner/conversation.ts';
import { createRegistry, loadCapabilities } from '@signalbox/worker/tools/registry';
import { expect, test } from 'vitest';

const { catalog } = createRegistry(await loadCapabilities());
const facts = { known: { project: ['shop', 'blog', 'demo'], server: ['local', 'vps-1'] } };

/** The first call that somebody's words come to, without a model server. */
const firstCall = (text: string, currentProject: string | null = null) => {
  const conversation = createConversation(catalog, { facts: { ...facts, currentProject } });
  const replies = conversation.turn(text);
  return conversation.calls[0] ?? { tool: 'none', args: replies[0] ?? {} };
};

test.each<[string, string, Record<string, unknown>]>([
  ['why is shop slow?', 'diagnose_service', { project: 'shop' }],
  ['shop is slow', 'diagnose_service', { project: 'shop' }],
  ['what is wrong with shop?', 'diagnose_service', { project: 'shop' }],
  ['diagnose shop in staging', 'diagnose_service', { project: 'shop', environment: 'staging' }],
  ['is shop healthy', 'check_service_health', { project: 'shop' }],
  ['show the logs of demo on staging', 'get_service_logs', { project: 'demo', environment: 'staging' }],
  ['show the logs of shop in staging', 'get_service_logs', { project: 'shop', environment: 'staging' }],
  ['errors in the last hour', 'get_error_history', {}],
  ['what errors happened today', 'get_error_history', {}],
  ['run df -h on local', 'run_diagnostic', { server: 'local', command: 'df -h' }],
  ['run uptime on vps-1', 'run_diagnostic', { server: 'vps-1', command: 'uptime' }],
  ['mute shop in staging for 1 hour', 'mute_service', { project: 'shop', environment: 'staging', hours: 1 }],
  ['roll back shop in staging', 'rollback_deploy', { project: 'shop', environment: 'staging' }],
  ['list the graph nodes', 'list_graph_nodes', {}],
  ['clear the project state of shop', 'clear_project_state', { project: 'shop' }],
  [
    'trigger the node product_owner in user_1002_3',
    'trigger_node_manually',
    { thread: 'user_1002_3', node: 'product_owner' },
  ],
  ['retry the failed node of user_1002_3', 'retry_failed_node', { thread: 'user_1002_3' }],
])('the message “%s” calls the tool that its words ask for', (text, tool, args) => {
  const call = firstCall(text);
  expect(call.tool).toBe(tool);
  expect(call.args).toMatchObject(args);
});

test('a short “why” after a notice about a service diagnoses that service', () => {
  expect(firstCall('why?', 'shop')).toMatchObject({ tool: 'diagnose_service', args: { project: 'shop' } });
});
