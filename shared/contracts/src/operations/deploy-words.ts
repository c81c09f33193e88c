import type { DeployState } from './deploy.ts';

/** What goes on in a state of a deployment, or what came of it: the same words wherever people read them. */
export const STATE_WORDS: Readonly<Record<DeployState, string>> = {
  queued: 'waiting for its turn',
  preparing: 'looking whether it can begin',
  building: 'building',
  starting: 'starting',
  health_checking: 'waiting until it is healthy',
  switching: 'switching the requests over',
  verifying: 'looking at what serves',
  draining: 'letting the old instance finish',
  succeeded: 'deployed',
  failing: 'taking it back',
  failed: 'failed',
  rolled_back: 'failed after the switch, which was taken back',
  cancelling: 'ending what was begun',
  cancelled: 'cancelled',
  unknown: 'finding out how it is',
};
