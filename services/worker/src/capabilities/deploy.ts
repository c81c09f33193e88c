import { toolGroup } from '../tools/tool.ts';
import { cancelDeploy } from './deploy/cancel.ts';
import { getDeployLogs, getDeployStatus, listDeployments, listServices } from './deploy/looks.ts';
import { listServiceVariables, setServiceVariable } from './deploy/variables.ts';

export default toolGroup({
  name: 'deploy',
  summary: 'Deploy projects: check readiness, trigger, follow, cancel and roll back deploys.',
  uses: ['projects', 'services', 'deployments'],
  tools: {
    get_deploy_status: getDeployStatus,
    get_deploy_logs: getDeployLogs,
    cancel_deploy: cancelDeploy,
    list_deployments: listDeployments,
    list_services: listServices,
    set_service_variable: setServiceVariable,
    list_service_variables: listServiceVariables,
  },
});
