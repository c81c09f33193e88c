import { toolGroup } from '../tools/tool.ts';
import { probeAddress } from './diagnose/address.ts';
import { whatChanged } from './diagnose/changes.ts';
import { checkServiceHealth, diagnoseService } from './diagnose/health.ts';
import { getErrorHistory, getServiceLogs } from './diagnose/logs.ts';
import { followServiceLogs } from './diagnose/follow.ts';
import { isAnythingWrong, listIncidents } from './diagnose/incidents.ts';
import { muteService } from './diagnose/mute.ts';
import { getNodeLogs, retryFailedNode } from './diagnose/nodes.ts';
import { getMyRequests } from './diagnose/requests.ts';
import { whoIsOnCall } from './diagnose/on-call.ts';
import { runDiagnostic } from './diagnose/run.ts';
import { showRequest } from './diagnose/show-request.ts';
import { withdrawRequest } from './diagnose/withdraw-request.ts';

export default toolGroup({
  name: 'diagnose',
  summary:
    'Look deeper: is_anything_wrong, list_incidents, who_is_on_call, follow_service_logs, run_diagnostic, mute_service.',
  uses: [
    'projects',
    'services',
    'deployments',
    'servers',
    'graphNodes',
    'errorHistory',
    'requests',
    'changes',
    'onCall',
    'repositories',
  ],
  tools: {
    diagnose_service: diagnoseService,
    check_service_health: checkServiceHealth,
    probe_address: probeAddress,
    get_service_logs: getServiceLogs,
    follow_service_logs: followServiceLogs,
    get_error_history: getErrorHistory,
    run_diagnostic: runDiagnostic,
    mute_service: muteService,
    get_node_logs: getNodeLogs,
    retry_failed_node: retryFailedNode,
    get_my_requests: getMyRequests,
    show_request: showRequest,
    withdraw_request: withdrawRequest,
    what_changed: whatChanged,
    is_anything_wrong: isAnythingWrong,
    list_incidents: listIncidents,
    who_is_on_call: whoIsOnCall,
  },
});
