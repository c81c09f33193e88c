import type { AgentClass } from './action.ts';

/** File and network rights of an agent, whoever the person is. Paths are folders relative to the workspace. */
export interface AgentBounds {
  readonly canRead: boolean;
  readonly canWrite: boolean;
  readonly canUseNetwork: boolean;
  /** Folders to which the agent may write; `all` means everywhere except `deniedPaths`. */
  readonly writePaths: readonly string[] | 'all';
  readonly deniedPaths: readonly string[];
}

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
