import { Agent } from 'undici';
import type { JobsConfig } from '../../config.ts';
import { readAuthorities } from '../open-forge.ts';
import type { GateAnswerDeps } from './answer-gates.ts';
import { createGithubGates } from './github-gates.ts';
import { createGitlabGates } from './gitlab-gates.ts';

type GateSettings = Pick<
  JobsConfig,
  'GITHUB_API' | 'GITHUB_APP_ID' | 'GITHUB_APP_KEY' | 'GITLAB_API' | 'GITLAB_APPROVER_TOKEN' | 'REPOSITORY_TRUST_DIR'
>;

/** Opens the forges whose gates can be answered: those for which there is a login. */
export function openGateDrivers(config: GateSettings): GateAnswerDeps['drivers'] {
  const dispatcher = new Agent({ connect: { ca: readAuthorities(config.REPOSITORY_TRUST_DIR) } });
  const { GITHUB_API, GITHUB_APP_ID: id, GITHUB_APP_KEY: key, GITLAB_API, GITLAB_APPROVER_TOKEN: token } = config;
  const github = id && key ? createGithubGates({ api: GITHUB_API, app: { id, key }, dispatcher }) : null;
  const gitlab = token ? createGitlabGates({ api: GITLAB_API, token, dispatcher }) : null;
  return { ...(github ? { github } : {}), ...(gitlab ? { gitlab } : {}) };
}
