import type { AgentClass } from './action.ts';

/** What an agent may do with files and the network, whoever it works for. Paths are folders, relative to the workspace. */
export interface AgentBounds {
  readonly canRead: boolean;
  readonly canWrite: boolean;
  readonly canUseNetwork: boolean;
  /** Only below these may it write; `all`: everywhere that is not denied. */
  readonly writePaths: readonly string[] | 'all';
  /** Below these it may not write, whatever else holds. */
  readonly deniedPaths: readonly string[];
}

/** The bounds of each class. They are enforced where files are opened, by canonical path: see docs/workspace.md. */
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

/** What holds for a person who works in a workspace through a chat: policy has decided about each step, so all of it is theirs. */
const PERSON_BOUNDS: AgentBounds = {
  canRead: true,
  canWrite: true,
  canUseNetwork: false,
  writePaths: 'all',
  deniedPaths: [],
};

/** Whose bounds hold: those of a class of agents, or those of the person that asked. */
export function boundsOf(who: AgentClass | 'PERSON'): AgentBounds {
  return who === 'PERSON' ? PERSON_BOUNDS : AGENT_CLASSES[who];
}
