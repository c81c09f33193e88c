import { createRegistry, loadCapabilities } from '@signalbox/worker/tools/registry';
import { describe, expect, it } from 'vitest';

const { catalog } = createRegistry(await loadCapabilities());
const tools = catalog.groups.filter(({ installed }) => installed).flatMap((group) => group.tools);

/** Arguments of every change that has an order of its own. */
const CHANGES: Readonly<Record<string, Readonly<Record<string, string | number>>>> = {
  trigger_node_manually: { thread: 'simulator_1001_3', node: 'po_tools' },
  clear_project_state: { project: 'shop' },
  trigger_deploy: { project: 'shop', version: '1.4', environment: 'staging', server: 'box-1' },
  cancel_deploy: { project: 'shop', environment: 'production' },
  rollback_deploy: { project: 'shop', environment: 'production', to_version: '1.3' },
  stop_service: { project: 'shop', environment: 'staging' },
  set_service_variable: { project: 'shop', environment: 'staging', name: 'LOG_LEVEL', value: 'debug' },
  remove_service_variable: { project: 'shop', environment: 'staging', name: 'LOG_LEVEL' },
  run_diagnostic: { server: 'box-1', release_of: 'shop/staging', command: 'df -h' },
  mute_service: { project: 'shop', environment: 'staging', hours: 3 },
  retry_failed_node: { thread: 'simulator_1001_3' },
  trust_host_key: { server: 'box-1', fingerprint: `SHA256:${'a'.repeat(43)}` },
  allocate_port: { project: 'shop', server: 'box-1', service: 'api', port: 20_003, memoryMb: 512 },
  release_port: { server: 'box-1', port: 20_003 },
  index_docs: {},
  withdraw_request: { request: 'apv_1' },
  freeze_changes: { until: 'monday at 9:00', reason: 'stocktaking' },
  lift_freeze: {},
  create_schedule: { kind: 'reminder', task: 'check the demo', when: 'tomorrow at 8' },
  change_schedule: { number: 3, change: 'pause' },
  forget_fact: { number: 3, words: '16:00' },
  remember_fact: { fact: 'My deploy day is Thursday' },
  create_project_intent: { name: 'todo', description: 'A list', repository: 'https://example.com/todo.git' },
  register_demo_project: {},
  accept_finding: { project: 'shop', finding: 12, reason: 'a test key', days: 30 },
  reopen_finding: { project: 'shop', finding: 12 },
  make_snapshot: { project: 'shop' },
  tag_project: { project: 'shop', tag: 'payments' },
  remove_tag: { project: 'shop', tag: 'payments' },
  restore_snapshot: { project: 'shop', snapshot: 4 },
  write_file: { path: 'notes.md', content: 'hello', project: 'shop' },
  run_command: { command: 'ls -la', project: 'shop' },
  trigger_engineering: { project: 'shop', task: 'show prices with two decimals' },
  fix_finding: { project: 'shop', finding: 12 },
  answer_engineering: { answer: 'use port 8080' },
  open_pull_request: { change: 4 },
};
/** Changes whose arguments are too many for a sentence: they are listed by their names. */
const LISTED = ['register_server', 'update_project', 'apply_diff', 'propose_plan'];

describe('the sentence of a change that a person must confirm', () => {
  it('exists for every changing tool, except for tools whose arguments are listed instead', () => {
    const changes = tools.filter(({ isRead }) => !isRead).map(({ name }) => name);
    expect(changes.toSorted()).toEqual([...Object.keys(CHANGES), ...LISTED].toSorted());
  });

  it.each(Object.entries(CHANGES))('contains every argument value of %s', (name, args) => {
    const order = tools.find((tool) => tool.name === name)?.orderOf?.(args);
    expect(order).toMatch(/^[A-Z]\S* \S/);
    for (const value of Object.values(args)) expect(order).toContain(String(value));
  });

  it('is empty for arguments that the tool does not accept', () => {
    const deploy = tools.find(({ name }) => name === 'trigger_deploy');
    expect(deploy?.orderOf?.({ project: 'shop', environment: 'nowhere' })).toBeNull();
  });
});
