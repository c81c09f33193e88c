import { toolGroup } from '../tools/tool.ts';
import { answerEngineering, fixFinding, triggerEngineering } from './engineering/begin.ts';
import { openPullRequest } from './engineering/publish.ts';
import { getEngineeringStatus, viewLatestPr } from './engineering/status.ts';

export default toolGroup({
  name: 'engineering',
  summary: 'Change the code of a project: a tested diff to approve, a branch, a pull request; fix findings.',
  uses: ['projects', 'engineering', 'repositories'],
  tools: {
    trigger_engineering: triggerEngineering,
    fix_finding: fixFinding,
    answer_engineering: answerEngineering,
    get_engineering_status: getEngineeringStatus,
    view_latest_pr: viewLatestPr,
    open_pull_request: openPullRequest,
  },
});
