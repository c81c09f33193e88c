import { randomBytes } from 'node:crypto';

/** An account at the forge. */
export interface Login {
  readonly id: number;
  readonly login: string;
  readonly type: 'User' | 'Bot';
}

/** A run of a workflow whose job waits for an environment. A run that is started again has another deployment. */
export interface SimulatedRun {
  readonly forge: 'github' | 'gitlab';
  readonly id: number;
  readonly repository: { readonly id: number; readonly full_name: string };
  readonly environment: string;
  readonly ref: string;
  readonly commit: string;
  readonly message: string;
  readonly actor: Login;
  /** Who started this attempt. */
  starter: Login;
  attempt: number;
  deployment: number;
  state: 'waiting' | 'approved' | 'rejected' | 'cancelled';
  comment: string | null;
}

export interface NewRun {
  readonly forge?: 'github' | 'gitlab';
  readonly repository?: string;
  readonly environment?: string;
  readonly ref?: string;
  readonly commit?: string;
  /** The message of its commit. */
  readonly message?: string;
  readonly actor?: string;
}

/** Keeps the runs of all repositories in memory. */
export function createRuns() {
  const runs: SimulatedRun[] = [];
  const logins = new Map<string, Login>();
  const repositories = new Map<string, number>();
  let last = 4_000_000_000;
  const findLogin = (login: string): Login => {
    const known = logins.get(login) ?? {
      id: 583_000 + logins.size,
      login,
      type: login.endsWith('[bot]') ? 'Bot' : 'User',
    };
    logins.set(login, known);
    return known;
  };
  const find = (id: number): SimulatedRun | undefined => runs.find((run) => run.id === id);
  return {
    all: runs,
    find,
    findLogin,
    start({
      forge = 'github',
      repository = 'acme/shop',
      environment = 'production',
      ref = 'main',
      ...given
    }: NewRun): SimulatedRun {
      const repositoryId = repositories.get(repository) ?? 1_192_056_000 + repositories.size;
      repositories.set(repository, repositoryId);
      const actor = findLogin(given.actor ?? 'ada');
      const run: SimulatedRun = {
        forge,
        id: (last += 1),
        repository: { id: repositoryId, full_name: repository },
        environment,
        ref,
        commit: given.commit ?? randomBytes(20).toString('hex'),
        message: given.message ?? 'Show prices with tax',
        actor,
        starter: actor,
        attempt: 1,
        deployment: (last += 1),
        state: 'waiting',
        comment: null,
      };
      runs.push(run);
      return run;
    },
    /** Starts a run again. */
    again(id: number, starter?: string): SimulatedRun | undefined {
      const run = find(id);
      if (!run) return undefined;
      Object.assign(run, { attempt: run.attempt + 1, deployment: (last += 1), state: 'waiting', comment: null });
      if (starter !== undefined) run.starter = findLogin(starter);
      return run;
    },
  };
}

export type Runs = ReturnType<typeof createRuns>;
