import { toolGroup } from '../tools/tool.ts';
import { compareReleases } from './deploy/compare.ts';
import { cancelDeploy } from './deploy/cancel.ts';
import { getDeployLogs, getDeployStatus, listDeployments, listServices } from './deploy/status.ts';
import { checkDeployReadiness } from './deploy/readiness.ts';
import { restartService, scaleService } from './deploy/restart.ts';
import { rollbackDeploy } from './deploy/rollback.ts';
import { stopService } from './deploy/stop.ts';
import { triggerDeploy } from './deploy/trigger.ts';
import { listServiceVariables, removeServiceVariable, setServiceVariable } from './deploy/variables.ts';
import { readRepository } from './deploy/versions.ts';

export default toolGroup({
  name: 'deploy',
  summary:
    'Deploy projects: check_deploy_readiness, get_deploy_logs, list_deployments, compare_releases, remove_service_variable.',
  uses: ['projects', 'services', 'deployments', 'releases'],
  tools: {
    check_deploy_readiness: checkDeployReadiness,
    trigger_deploy: triggerDeploy,
    get_deploy_status: getDeployStatus,
    get_deploy_logs: getDeployLogs,
    cancel_deploy: cancelDeploy,
    rollback_deploy: rollbackDeploy,
    stop_service: stopService,
    restart_service: restartService,
    scale_service: scaleService,
    list_services: listServices,
    list_deployments: listDeployments,
    read_repository: readRepository,
    compare_releases: compareReleases,
    set_service_variable: setServiceVariable,
    remove_service_variable: removeServiceVariable,
    list_service_variables: listServiceVariables,
  },
});
