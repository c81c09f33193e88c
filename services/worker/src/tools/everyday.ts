/**
 * The tools that models always have, in this order: providers cache a request up to its first difference. A tool is left out where its
 * group may not be loaded. All other tools come with request_capabilities, or when they are called.
 */
export const EVERYDAY_TOOLS: readonly string[] = [
  'list_projects',
  'get_project_status',
  'list_services',
  'get_deploy_status',
  'check_service_health',
  'diagnose_service',
  'get_service_logs',
  'list_service_variables',
  'read_repository',
  'get_my_requests',
  'show_request',
  'what_changed',
  'probe_address',
  'list_files',
  'read_file',
  'trigger_deploy',
  'rollback_deploy',
  'stop_service',
  'cancel_deploy',
  'set_service_variable',
  'propose_plan',
  'create_project_intent',
  'register_demo_project',
  'run_command',
  'withdraw_request',
  'remember_fact',
  'forget_fact',
];
