import type { AgentClass } from './action.ts';

/** File and network rights of an agent, whoever the person is. Paths are folders relative to the workspace. */
export interface AgentBounds {
  readonly canRead: boolean;
  readonly canWrite: boolean;
  readonly canUseNetwork: boolean;
  /** Folders to which the agent may write; `all` means everywhere except `deniedPaths`. */
  readonly writePaths: readonly string[] | 'all';
  /** Folders, with a slash at their end, and single files. */
  readonly deniedPaths: readonly string[];
}

/** What a forge or a build server runs or decides by, and what leads git elsewhere: whoever changes these acts beyond the code. */
const PROTECTED_PATHS = (
  '.github/ .gitlab/ .gitea/ .forgejo/ .circleci/ .buildkite/ .woodpecker/ .azure-pipelines/ .gitlab-ci.yml .travis.yml .drone.yml ' +
  '.woodpecker.yml .cirrus.yml appveyor.yml .appveyor.yml azure-pipelines.yml bitbucket-pipelines.yml Jenkinsfile CODEOWNERS ' +
  'docs/CODEOWNERS .gitmodules'
).split(' ');

/** Bounds of each agent class, checked on canonical paths when a file is opened: see docs/workspace.md. */
const AGENT_CLASSES: Readonly<Record<AgentClass, AgentBounds>> = {
  READ_ONLY_SCAN: { canRead: true, canWrite: false, canUseNetwork: false, writePaths: [], deniedPaths: [] },
  PLANNING_SYNTHESIS: { canRead: true, canWrite: false, canUseNetwork: false, writePaths: [], deniedPaths: [] },
  REGISTRY_STATE: {
    canRead: true,
    canWrite: true,
    canUseNetwork: false,
    writePaths: ['var/registry/', 'var/audit/'],
    deniedPaths: [],
  },
  WRITE_GATED: {
    canRead: true,
    canWrite: true,
    canUseNetwork: false,
    writePaths: ['prompts/', 'var/artifacts/', 'var/cache/'],
    deniedPaths: ['src/', 'configs/', 'docs/', 'tests/', 'scripts/', 'assets/'],
  },
  CONTROL_PLANE: {
    canRead: true,
    canWrite: true,
    canUseNetwork: false,
    writePaths: ['var/', 'prompts/'],
    deniedPaths: [],
  },
  // The work tree of a change, which becomes a branch once a person has approved the diff. Registries are reached by the runtime alone.
  ENGINEERING: {
    canRead: true,
    canWrite: true,
    canUseNetwork: false,
    writePaths: 'all',
    deniedPaths: PROTECTED_PATHS,
  },
};

/** Bounds of a person who works in a workspace from a chat: the whole workspace is open, because policy decides each step. */
const PERSON_BOUNDS: AgentBounds = {
  canRead: true,
  canWrite: true,
  canUseNetwork: false,
  writePaths: 'all',
  deniedPaths: [],
};

export function getAgentBounds(who: AgentClass | 'PERSON'): AgentBounds {
  return who === 'PERSON' ? PERSON_BOUNDS : AGENT_CLASSES[who];
}

/** The bounds of ENGINEERING, without the protected paths that an operator has opened: exactly these files, or below these folders. */
export function getEngineeringBounds(opened: readonly string[]): AgentBounds {
  const { deniedPaths, ...bounds } = AGENT_CLASSES.ENGINEERING;
  return { ...bounds, deniedPaths: deniedPaths.filter((path) => !opened.includes(path)) };
}
