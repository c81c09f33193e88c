import { Agent } from 'undici';
import type { JobsConfig } from '../../config.ts';
import { readAuthorities } from '../open-forge.ts';
import type { GateAnswerDeps } from './answer-gates.ts';
import { createGithubGates } from './github-gates.ts';

type GateSettings = Pick<JobsConfig, 'GITHUB_API' | 'GITHUB_APP_ID' | 'GITHUB_APP_KEY' | 'REPOSITORY_TRUST_DIR'>;

/** Opens the forges whose gates can be answered: those for which there is a login. */
export function openGateDrivers(config: GateSettings): GateAnswerDeps['drivers'] {
  const dispatcher = new Agent({ connect: { ca: readAuthorities(config.REPOSITORY_TRUST_DIR) } });
  const { GITHUB_API: api, GITHUB_APP_ID: id, GITHUB_APP_KEY: key } = config;
  return id && key ? { github: createGithubGates({ api, app: { id, key }, dispatcher }) } : {};
}
